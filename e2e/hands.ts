import { type Locator, type Page, expect } from '@playwright/test';

/** Two ways to use a page: with the mouse except for typing, or with the keyboard alone. */
export type Hands = {
  name: string;
  /** Goes to a page in the rail. */
  visit: (page: Page, label: string, keys: string) => Promise<void>;
  press: (target: Locator) => Promise<void>;
  write: (target: Locator, text: string) => Promise<void>;
};

export const mouse: Hands = {
  name: 'mouse',
  async visit(page, label) {
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: label })
      .click();
  },
  async press(target) {
    await target.click();
  },
  async write(target, text) {
    await target.click();
    await target.press('ControlOrMeta+a');
    await target.pressSequentially(text);
  },
};

/** More than the number of tab stops on any page. */
const TABS_MAX = 200;

export const keyboard: Hands = {
  name: 'keyboard',
  async visit(page, label, keys) {
    await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
    // Unless a field has the focus, keys are shortcuts of the page.
    await page.keyboard.press('Escape');
    for (const key of keys.split(' ')) await page.keyboard.press(key);
    await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible();
  },
  async press(target) {
    await tabsTo(target);
    await target.page().keyboard.press((await isTicked(target)) ? 'Space' : 'Enter');
  },
  async write(target, text) {
    await tabsTo(target);
    await target.page().keyboard.press('ControlOrMeta+a');
    await target.page().keyboard.type(text);
  },
};

/** Presses Tab until the element has the focus, and returns how often. */
export async function tabsTo(target: Locator): Promise<number> {
  await expect(target).toBeEnabled();
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    const isReached = await target.evaluate((element) => {
      const { activeElement } = document;
      if (element === activeElement) return true;
      // A group of choices is a single tab stop, within which the arrow keys move.
      return (
        element instanceof HTMLInputElement &&
        element.type === 'radio' &&
        activeElement instanceof HTMLInputElement &&
        activeElement.name === element.name
      );
    });
    if (isReached) return tabs;
    await target.page().keyboard.press('Tab');
  }
  throw new Error(`${target.toString()} is not reached with ${TABS_MAX} Tabs`);
}

async function isTicked(target: Locator): Promise<boolean> {
  return target.evaluate(
    (element) =>
      element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type),
  );
}
