import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';

/** Users, tokens, sessions and the audit log. */
type Section = 'Users and tokens' | 'Sessions' | 'Audit' | 'Settings' | 'Certificates' | 'Server';

export class AdminPage {
  readonly users;
  readonly tokens;
  readonly sessions;
  readonly audit;
  readonly settings;
  readonly certificates;
  readonly report;
  readonly panel;
  readonly dialog;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.users = page.getByRole('region', { name: 'Users' });
    this.tokens = page.getByRole('region', { name: 'Tokens' });
    this.sessions = page.getByRole('region', { name: 'Sessions' });
    this.audit = page.getByRole('region', { name: 'Audit' });
    this.settings = page.getByRole('region', { name: 'Settings' });
    this.certificates = page.getByRole('region', { name: 'Certificates' });
    this.report = page.getByRole('region', { name: 'Support report' });
    this.panel = page.getByRole('complementary', { name: 'Details' });
    this.dialog = page.getByRole('dialog').filter({ has: page.getByRole('heading') });
  }

  async open(params: Record<string, string> = {}): Promise<void> {
    await this.page.goto(this.logstead.url(`/admin?${new URLSearchParams(params).toString()}`));
  }

  async show(section: Section): Promise<void> {
    await this.section(section).click();
  }

  section(section: Section): Locator {
    return this.page
      .getByRole('navigation', { name: 'Sections', exact: true })
      .getByRole('link', { name: section });
  }

  /** A row of the visible table, by the name of its user or token. */
  row(table: Locator, name: string): Locator {
    return table.getByRole('row').filter({
      has: this.page.getByRole('rowheader', { name, exact: false }),
    });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The preview of the messages that an account with the grant in the panel would find. */
  get preview(): Locator {
    return this.panel.getByRole('region', { name: /^What would/ });
  }

  /** Writes the filter of the open grant. */
  async limitTo(scope: string): Promise<void> {
    const field = this.panel.getByRole('textbox', { name: 'Only messages that match' });
    await field.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.type(scope);
    // The suggestions cover part of the page.
    await this.page.keyboard.press('Escape');
  }

  async chooseLogspaces(...ids: string[]): Promise<void> {
    await this.panel.getByText('Only these', { exact: true }).click();
    for (const id of ids) await this.panel.getByRole('checkbox', { name: id, exact: true }).check();
  }

  async menu(name: string, item: RegExp): Promise<void> {
    await this.panel.getByRole('button', { name: `More about ${name}` }).click();
    await this.page.getByRole('menuitem', { name: item }).click();
  }

  /** Reads the secret that is shown, and closes it for good. */
  async secret(of: string): Promise<string> {
    const shown = this.page.getByLabel(`Secret of ${of}`);
    const secret = await shown.innerText();
    await this.button('I have copied it').click();
    return secret;
  }
}
