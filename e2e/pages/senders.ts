import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';

/** The page of the senders. */
export class SendersPage {
  readonly rows: Locator;
  readonly panel: Locator;
  readonly find: Locator;

  constructor(
    private readonly page: Page,
    private readonly logstead: Logstead,
  ) {
    this.rows = page.getByRole('region', { name: 'Senders' }).locator('tbody tr');
    this.panel = page.getByRole('complementary');
    this.find = page.getByLabel('Find a sender');
  }

  async open(params: Record<string, string> = {}): Promise<void> {
    await this.page.goto(this.logstead.url(`/senders?${new URLSearchParams(params).toString()}`));
  }

  row(host: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('button', { name: host, exact: true }) });
  }

  /** The filter that lists only senders with this problem. */
  show(name: string): Locator {
    return this.page.getByRole('group', { name: 'Which senders' }).getByRole('button', { name });
  }

  frames(): Locator {
    return this.panel.getByRole('region', { name: 'Last messages' }).getByRole('listitem');
  }
}
