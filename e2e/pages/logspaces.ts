import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';

/** The page of the logspaces: their cards, and the open one below them. */
export class LogspacesPage {
  readonly dialog;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.dialog = page.getByRole('dialog').filter({ has: page.getByRole('heading') });
  }

  async open(params: Record<string, string> = {}): Promise<void> {
    await this.page.goto(this.logstead.url(`/logspaces?${new URLSearchParams(params).toString()}`));
  }

  card(id: string): Locator {
    return this.page.getByRole('button', { name: new RegExp(`^${id}, `) });
  }

  details(id: string): Locator {
    return this.page.getByRole('region', { name: `Logspace ${id}`, exact: true });
  }

  fills(id: string): Locator {
    return this.page.getByRole('region', { name: `What fills ${id}` });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The field for the age in the retention of the open logspace. */
  get age(): Locator {
    return this.page.getByRole('textbox', { name: 'Keep at most' });
  }

  get size(): Locator {
    return this.page.getByRole('textbox', { name: 'and at most' });
  }

  get sizeUnit(): Locator {
    return this.page.getByRole('combobox', { name: 'Unit of and at most' });
  }
}
