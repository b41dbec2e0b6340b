import type { Page } from '@playwright/test';
import type { Logstead } from '../server';

export class FlowPage {
  readonly balance;
  readonly sources;
  readonly destinations;
  readonly chart;

  constructor(
    private readonly page: Page,
    private readonly logstead: Logstead,
  ) {
    this.balance = page.getByRole('region', { name: 'Balance' });
    this.sources = page.getByRole('region', { name: 'Sources' });
    this.destinations = page.getByRole('region', { name: 'Destinations' });
    this.chart = page.getByRole('slider', { name: /over time/ });
  }

  async open(range = '-15m'): Promise<void> {
    await this.page.goto(this.logstead.url(`/flow?from=${range}`));
  }
}
