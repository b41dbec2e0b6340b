import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';

/** The guide to agents: how to send from each, and the first message. */
export class AgentsPage {
  readonly filter;
  readonly token;
  readonly makeToken;
  readonly firstMessage;
  readonly query;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.filter = page.getByRole('textbox', { name: 'Filter agents' });
    this.token = page.getByRole('textbox', { name: 'Token' });
    this.makeToken = page.getByRole('button', { name: 'Make a token' });
    this.firstMessage = page.getByRole('status', { name: 'First message' });
    this.query = page.getByRole('textbox', { name: 'Query' });
  }

  async open(agent?: string): Promise<void> {
    await this.page.goto(this.logstead.url(agent === undefined ? '/send' : `/send?agent=${agent}`));
  }

  /**
   * Fills in the query once the field has its colours: before that, it may be replaced while it is
   * being filled in.
   */
  async ask(query: string): Promise<void> {
    await this.query.and(this.page.locator('[contenteditable]')).waitFor();
    await this.query.fill(query);
    await this.query.press('Enter');
  }

  /** Resolves when the server has confirmed that it listens for messages from now on. */
  async isWaiting(): Promise<void> {
    await this.firstMessage.getByText(/^Waiting for (your test|a) message/).waitFor();
  }

  /** The word that only the test message contains. */
  async word(): Promise<string> {
    return (await this.page.getByRole('textbox', { name: 'Test word' }).textContent()) ?? '';
  }

  agent(name: string): Locator {
    return this.page
      .getByRole('navigation', { name: 'Agents' })
      .getByRole('link', { name, exact: true });
  }

  configuration(name: string): Locator {
    return this.page.getByRole('textbox', { name: new RegExp(`^${name} configuration`) });
  }

  /** A value of the message that arrived. */
  parsed(field: string): Locator {
    const row = this.page.locator('dl > div').filter({
      has: this.page.getByText(field, { exact: true }),
    });
    return this.firstMessage.locator(row).locator('dd');
  }
}
