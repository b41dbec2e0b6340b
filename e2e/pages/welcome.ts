import type { Page } from '@playwright/test';
import type { Logstead } from '../server';

/** The steps from a new server to a first message. */
export class WelcomePage {
  readonly loggerCommand;
  readonly curlTab;
  readonly curlCommand;
  readonly makeToken;
  readonly arrived;
  readonly waiting;
  readonly goOn;
  readonly sendStep;
  readonly lookStep;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.loggerCommand = page.getByRole('textbox', { name: 'logger command' });
    this.curlTab = page.getByRole('tab', { name: 'curl' });
    this.curlCommand = page.getByRole('textbox', { name: 'curl command' });
    this.makeToken = page.getByRole('button', { name: 'Make a token' });
    this.arrived = page.getByRole('status').filter({ hasText: 'It is here' });
    this.waiting = page.getByText('Waiting for the message');
    this.goOn = page.getByRole('button', { name: 'Continue' });
    this.sendStep = page.getByRole('button', { name: 'Send a test message' }).first();
    this.lookStep = page.getByRole('button', { name: 'Look at it in Search' });
  }

  async open(): Promise<void> {
    await this.page.goto(this.logstead.url('/welcome'));
  }

  /** Follows one of the suggested queries, which finds the message. */
  async follow(query: string | RegExp): Promise<void> {
    await this.page.getByRole('list').getByRole('button', { name: query }).click();
  }
}
