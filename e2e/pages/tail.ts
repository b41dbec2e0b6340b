import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';
import { Drawer } from './drawer';

/** Messages as they are stored. */
export class TailPage {
  readonly tail;
  readonly lines;
  readonly rows;
  /** The drawer with the opened message. */
  readonly drawer;
  /** The button that returns to the newest messages, with the number of waiting ones. */
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

  /** The state of the tail, as shown in the line below it. */
  state(text: string | RegExp): Locator {
    return this.page.getByRole('main').getByText(text, { exact: true });
  }

  /** The line with this text; lines outside the view are not in the page. */
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

  /** The sender's number of the last message in view. */
  async lastSequence(): Promise<number> {
    return Math.max(-1, ...sequencesOf(await this.shownLines()));
  }

  /**
   * The numbers of all lines, in order. The page only contains the lines in view, so it is scrolled
   * through.
   */
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

/** The numbers in texts with `seq: 0000000042`. */
export function sequencesOf(texts: readonly string[]): number[] {
  return texts.flatMap((text) => /seq: (\d+)/.exec(text)?.slice(1).map(Number) ?? []);
}
