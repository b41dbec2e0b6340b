import type { Locator, Page } from '@playwright/test';
import { expect, test } from './logstead';
import { mouse } from './hands';

/** The actions that a person takes for a task. */
export interface Effort {
  clicks: number;
  drags: number;
  /** Fields that were filled in, whatever was written. */
  fields: number;
  /** Pastes into something other than the console. */
  pastes: number;
  /** Keys pressed outside of fields: typing in a field does not count. */
  keys: number;
}

/** A person's hands, which count their actions. */
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

  /** Presses the mouse button, and releases it after `does` has moved the mouse. */
  async drag(does: () => Promise<void>): Promise<void> {
    this.effort.drags += 1;
    await does();
  }

  /** Replaces the contents of the field. */
  async write(field: Locator, text: string): Promise<void> {
    this.effort.fields += 1;
    await mouse.write(field, text);
  }

  /** Types at the current position of the cursor. */
  async type(text: string): Promise<void> {
    this.effort.fields += 1;
    await this.page.keyboard.type(text);
  }

  /** Presses keys one after the other, each by itself or with its modifier: `g t Control+k`. */
  async press(keys: string): Promise<void> {
    for (const key of keys.split(' ')) {
      this.effort.keys += 1;
      await this.page.keyboard.press(key);
    }
  }

  /** The text that was copied last. */
  async paste(): Promise<string> {
    this.effort.pastes += 1;
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /**
   * Actions that the limit does not name must not have been necessary. The report of the run lists
   * those that were.
   */
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
