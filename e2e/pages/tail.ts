import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';
import { Drawer } from './drawer';

/** Messages as they are stored. */
export class TailPage {
  readonly tail;
  readonly lines;
  readonly rows;
  /** Everything about the message that was opened. */
  readonly drawer;
  /** The way back to the newest, with the number of messages that wait. */
  readonly waiting;

  constructor(
    private readonly page: Page,
    private readonly logstead: Logstead,
  ) {
    this.tail = page.getByRole('region', { name: 'Tail', exact: true });
    this.lines = page.getByRole('log', { name: 'Messages' });
    this.rows = this.lines.locator('[data-row]');
    this.drawer = new Drawer(page);
    this.waiting = page.getByRole('button', { name: /\d new · Follow$/ });
  }

  async open(parameters: Record<string, string> = {}): Promise<void> {
    const search = new URLSearchParams(parameters).toString();
    await this.page.goto(this.logstead.url(`/tail${search && '?'}${search}`));
  }

  button(name: string): Locator {
    return this.page.getByRole('toolbar', { name: 'Tail' }).getByRole('button', { name });
  }

  /** What the line below the tail says that it is doing. */
  state(text: string | RegExp): Locator {
    return this.page.getByRole('main').getByText(text, { exact: true });
  }

  /** The line with a text; those outside of the view are not in the page. */
  line(text: string): Locator {
    return this.lines.locator('[data-index]').filter({ hasText: text });
  }

  async shownLines(): Promise<string[]> {
    return this.lines.locator('[data-index]').allTextContents();
  }

  async waitingCount(): Promise<number> {
    const text = await this.waiting.textContent();
    return Number((text ?? '').replaceAll(/\D/g, ''));
  }

  /** The number of the last message in view, as the sender counted. */
  async lastSequence(): Promise<number> {
    return Math.max(-1, ...sequencesOf(await this.shownLines()));
  }

  /** The numbers of all lines, in order: the page has only those in view, so it is gone through. */
  async allSequences(): Promise<number[]> {
    const texts = await this.lines.evaluate(async (scroller) => {
      const lines = new Map<number, string>();
      const drawn = () =>
        new Promise<void>((done) =>
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              done();
            }),
          ),
        );
      scroller.scrollTop = 0;
      for (;;) {
        await drawn();
        for (const line of scroller.querySelectorAll<HTMLElement>('[data-index]'))
          lines.set(Number(line.dataset['index']), line.textContent);
        if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) break;
        scroller.scrollTop += scroller.clientHeight;
      }
      return [...lines].sort(([a], [b]) => a - b).map(([, text]) => text);
    });
    return sequencesOf(texts);
  }
}

/** Of lines with `seq: 0000000042`. */
export function sequencesOf(texts: readonly string[]): number[] {
  return texts.flatMap((text) => /seq: (\d+)/.exec(text)?.slice(1).map(Number) ?? []);
}
