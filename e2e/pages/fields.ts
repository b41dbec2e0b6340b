import type { Locator, Page } from '@playwright/test';

/** The sidebar of Search: the values of fields and how often they are there. */
export class Fields {
  constructor(private readonly page: Page) {}

  /** The values of a field, each with what can be done with it. */
  values(field: string): Locator {
    return this.section(field).getByRole('listitem');
  }

  value(field: string, value: string): Locator {
    return this.section(field).getByRole('button', { name: new RegExp(`^${value}, `) });
  }

  async exclude(field: string, value: string): Promise<void> {
    await this.value(field, value).hover();
    await this.button(`Exclude ${field}=${value}`).click();
  }

  async only(field: string, value: string): Promise<void> {
    await this.value(field, value).hover();
    await this.button(`Search for ${field}=${value} and nothing else`).click();
  }

  async searchValues(field: string, text: string): Promise<void> {
    const name = `Search the values of ${field}`;
    await this.button(name).click();
    await this.sidebar.getByRole('textbox', { name }).fill(text);
  }

  private get sidebar(): Locator {
    return this.page.getByRole('complementary', { name: 'Fields' });
  }

  private section(field: string): Locator {
    return this.sidebar.getByRole('region', { name: field, exact: true });
  }

  private button(name: string): Locator {
    return this.sidebar.getByRole('button', { name, exact: true });
  }
}
