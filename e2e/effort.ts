import type { Locator, Page } from '@playwright/test';
import { expect, test } from './logstead';
import { mouse } from './hands';

/** What somebody does for a task. */
export interface Effort {
  clicks: number;
  drags: number;
  /** Written in, whatever is written. */
  fields: number;
  /** Into something that is not the console. */
  pastes: number;
  /** Pressed by themselves: those that write a text are in its field. */
  keys: number;
}

/** The hands of somebody, which count what they do. */
export class CountingHands {
  readonly effort: Effort = { clicks: 0, drags: 0, fields: 0, pastes: 0, keys: 0 };

  constructor(private readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.effort.clicks += 1;
    await mouse.press(target);
  }

  async altClick(target: Locator): Promise<void> {
    this.effort.clicks += 1;
    await target.click({ modifiers: ['Alt'] });
  }

  /** `does` moves the mouse with its button down. */
  async drag(does: () => Promise<void>): Promise<void> {
    this.effort.drags += 1;
    await does();
  }

  /** In place of what is in the field. */
  async write(field: Locator, text: string): Promise<void> {
    this.effort.fields += 1;
    await mouse.write(field, text);
  }

  /** Where the cursor is already. */
  async type(text: string): Promise<void> {
    this.effort.fields += 1;
    await this.page.keyboard.type(text);
  }

  /** One after the other, each by itself or with its modifier: `g t Control+k`. */
  async press(keys: string): Promise<void> {
    for (const key of keys.split(' ')) {
      this.effort.keys += 1;
      await this.page.keyboard.press(key);
    }
  }

  /** What was copied last. */
  async paste(): Promise<string> {
    this.effort.pastes += 1;
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** What the limit does not name must not have been necessary. The report of the run has what was. */
  expectAtMost(limit: Partial<Effort>): void {
    const done = Object.entries(this.effort) as [keyof Effort, number][];
    const description = done
      .filter(([, times]) => times > 0)
      .map(([what, times]) => `${times} ${what}`)
      .join(', ');
    test.info().annotations.push({ type: 'effort', description });
    for (const [what, times] of done) expect(times, what).toBeLessThanOrEqual(limit[what] ?? 0);
  }
}
