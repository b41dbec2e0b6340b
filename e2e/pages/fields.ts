import type { Locator, Page } from '@playwright/test';

/** The sidebar of Search: the values of fields and how often each occurs. */
export class Fields {
  constructor(private readonly page: Page) {}

  /** The values of a field, each with its actions. */
  values(field: string): Locator {
    return this.section(field).getByRole('listitem');
  }

  /** A value of a field, which is checked if it is selected. */
  value(field: string, value: string): Locator {
    return this.section(field).getByRole('checkbox', { name: new RegExp(`^${value}, `) });
  }

  /** The line of a field, which opens and closes its values. */
  head(field: string): Locator {
    return this.section(field).getByRole('button').first();
  }

  /** The distribution of a field's numbers, on which a drag selects a range. */
  numbers(field: string): Locator {
    return this.section(field).getByRole('slider', { name: `Numbers of ${field}` });
  }

  get finder(): Locator {
    return this.sidebar.getByRole('searchbox', { name: 'Find a field or a value' });
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
    await this.head(field).hover();
    await this.button(`Search the values of ${field}`).click();
    await this.sidebar.getByRole('textbox', { name: `Values of ${field} that contain` }).fill(text);
  }

  get sidebar(): Locator {
    return this.page.getByRole('complementary', { name: 'Fields' });
  }

  section(field: string): Locator {
    return this.sidebar.getByRole('region', { name: field, exact: true });
  }

  private button(name: string): Locator {
    return this.sidebar.getByRole('button', { name, exact: true });
  }
}
