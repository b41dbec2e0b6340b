import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';

export class SearchPage {
  readonly query;
  readonly messages;
  /** All of the message that was opened. */
  readonly details;
  readonly alert;
  /** The part of the query that an error or a warning speaks of. */
  readonly place;
  readonly warning;
  readonly empty;
  readonly firstMessage;

  constructor(
    private readonly page: Page,
    private readonly logstead: Logstead,
  ) {
    this.query = page.getByRole('textbox', { name: 'Query' });
    this.messages = page.getByRole('table', { name: 'Messages' });
    this.details = this.messages.getByRole('row', { name: /^Details of / });
    this.alert = page.getByRole('alert');
    this.place = page.getByRole('img', { name: /^Line \d+, column \d+/ });
    this.warning = page.getByRole('status').filter({ hasText: /searched for the text/ });
    this.empty = page.getByRole('heading', { name: 'No message matches' });
    this.firstMessage = page.getByRole('region', { name: 'First message' });
  }

  async open(parameters: Record<string, string> = {}): Promise<void> {
    const search = new URLSearchParams(parameters).toString();
    await this.page.goto(this.logstead.url(`/search${search && '?'}${search}`));
  }

  async search(query: string): Promise<void> {
    await this.query.fill(query);
    await this.page.getByRole('button', { name: 'Search', exact: true }).click();
  }

  message(text: string | RegExp): Locator {
    return this.messages.getByRole('row').filter({ hasText: text });
  }
}
