import type { Locator, Page } from '@playwright/test';

/** The drawer with everything about one message, beside the results. */
export class Drawer {
  readonly region;
  /** The text of the message in its most readable form. */
  readonly text;
  /** The bytes of the message, as text or in hexadecimal. */
  readonly raw;
  /** The messages around the open one, oldest first. */
  readonly around;

  constructor(page: Page) {
    this.region = page.getByRole('region', { name: /^Message \S+$/ }).filter({
      has: page.getByRole('tablist'),
    });
    this.text = this.region.getByRole('region', { name: 'Message', exact: true });
    this.raw = page.getByRole('region', { name: 'Raw message' });
    const list = page.getByRole('list', { name: 'Messages around it, oldest first' });
    this.around = list.getByRole('listitem');
  }

  button(name: string): Locator {
    return this.region.getByRole('button', { name, exact: true });
  }

  async tab(name: 'Fields' | 'Raw' | 'Context' | 'Path' | 'JSON'): Promise<void> {
    await this.region.getByRole('tab', { name }).click();
  }

  /** Selects the form in which the raw message is shown. */
  async form(name: 'Text' | 'Hex'): Promise<void> {
    await this.region.getByText(name, { exact: true }).click();
  }
}
