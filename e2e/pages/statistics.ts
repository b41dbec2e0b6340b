import type { Locator, Page } from '@playwright/test';

/** What a query with stages makes: a table, and a chart of it. */
export class Statistics {
  readonly region;
  readonly table;
  readonly chart;
  /** The names of the groups that are drawn, and their lines. */
  readonly series;
  readonly drawn;
  /** The answer, of whatever form. */
  readonly shown;

  constructor(private readonly page: Page) {
    this.region = page.getByRole('region', { name: 'Statistics' });
    this.table = this.region.getByRole('table', { name: 'Statistics' });
    this.chart = this.region.getByRole('figure');
    this.series = this.chart.getByRole('list', { name: 'Series' }).getByRole('listitem');
    this.drawn = this.chart.locator('svg path[stroke], svg polyline');
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

  async showMessagesOf(value: string): Promise<void> {
    await this.table.getByRole('button', { name: value, exact: true }).click();
    await this.page.getByRole('menuitem', { name: 'Show these messages' }).click();
  }
}
