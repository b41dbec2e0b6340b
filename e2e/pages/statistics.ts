import type { Locator, Page } from '@playwright/test';

/** The result of a query with stages: a table, and a chart of it. */
export class Statistics {
  readonly region;
  readonly table;
  readonly chart;
  /** The legend rows of the groups that are drawn, and their lines. */
  readonly series;
  readonly drawn;
  /** The answer in whatever form it is shown. */
  readonly shown;

  constructor(private readonly page: Page) {
    this.region = page.getByRole('region', { name: 'Statistics' });
    this.table = this.region.getByRole('table', { name: 'Statistics' });
    this.chart = this.region.getByRole('figure');
    this.series = this.region
      .getByRole('table', { name: 'Series' })
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
    this.drawn = this.chart.locator('svg path[stroke][fill=none]');
    const nothing = page.getByRole('heading', { name: 'The table has no rows' });
    this.shown = this.table.or(this.region.getByRole('definition').first()).or(nothing);
  }

  /** The texts of the table, row by row. */
  async rows(): Promise<string[][]> {
    const rows = await this.table
      .getByRole('row')
      .filter({ has: this.page.getByRole('cell') })
      .all();
    return Promise.all(
      rows.map((row) => row.getByRole('cell').filter({ hasText: /./ }).allTextContents()),
    );
  }

  as(kind: 'Table' | 'Bars' | 'Lines' | 'Area'): Locator {
    return this.region.getByRole('radiogroup', { name: 'Shown as' }).getByText(kind);
  }

  /** Opens the menu of a value. */
  async menuOf(value: string): Promise<void> {
    await this.table.getByRole('button', { name: `Actions for ${value}`, exact: true }).click();
  }

  async showMessagesOf(value: string): Promise<void> {
    await this.menuOf(value);
    await this.page.getByRole('menuitem', { name: 'Show these messages' }).click();
  }
}
