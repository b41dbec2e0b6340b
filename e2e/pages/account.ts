import { createHmac } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { Logstead } from '../server';

/** One's own account: password, second factor, sessions. */
export class AccountPage {
  readonly sessions;
  readonly codes;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.sessions = page.getByRole('region', { name: 'Sessions' });
    this.codes = page.getByRole('list', { name: 'Recovery codes' });
  }

  async open(): Promise<void> {
    await this.page.goto(this.logstead.url('/account'));
  }

  button(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Proceeds to the QR code, and returns the app that scanned it. */
  async scan(password: string): Promise<App> {
    await this.page.getByLabel('Your password').fill(password);
    await this.button('Continue').click();
    await this.page.getByRole('img', { name: /QR code/ }).waitFor();
    const secret = await this.page.locator('code').innerText();
    return new App(secret.replaceAll(' ', ''));
  }

  /** Enters the first code of the app; returns the recovery codes. */
  async confirm(code: string): Promise<string[]> {
    await this.page.getByRole('textbox', { name: 'Code' }).fill(code);
    await this.button('Confirm').click();
    await this.codes.waitFor();
    return this.codes.getByRole('listitem').allInnerTexts();
  }
}

/** An authenticator app, as RFC 6238 describes it. */
export class App {
  private readonly key: Buffer;

  constructor(secret: string) {
    const bits = Array.from(secret, (letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    ).join('');
    this.key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  }

  /** The current code, or that of a later time step. */
  code(later = 0): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
    const tag = createHmac('sha1', this.key).update(counter).digest();
    const word = tag.readUInt32BE((tag.at(-1) ?? 0) & 15) & 0x7fffffff;
    return String(word % 1_000_000).padStart(6, '0');
  }
}
