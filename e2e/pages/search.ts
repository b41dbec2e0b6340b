import { type Locator, type Page, expect } from '@playwright/test';
import type { Logstead } from '../server';
import { Drawer } from './drawer';
import { Fields } from './fields';

/** A list has settled if it stands still for this many frames. */
const SETTLED_FRAMES = 15;

/** Resolves when the page has been drawn this many times. */
async function drawn(frames: number): Promise<void> {
  for (let frame = 0; frame < frames; frame += 1) await new Promise(requestAnimationFrame);
}

export class SearchPage {
  readonly query;
  readonly searchButton;
  /** The actions for the clauses of the query. */
  readonly clauses;
  readonly timeline;
  readonly messages;
  /** The visible messages, newest first. */
  readonly found;
  readonly drawer;
  /** The details of the opened message. */
  readonly details;
  readonly fields;
  readonly alert;
  /** The part of the query that an error or a warning refers to. */
  readonly place;
  readonly warning;
  readonly empty;
  readonly firstMessage;
  readonly dialog;
  private readonly count;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.query = page.getByRole('textbox', { name: 'Query' });
    this.searchButton = page.getByRole('button', { name: 'Search', exact: true });
    this.clauses = page.getByRole('list', { name: 'Clauses' });
    this.timeline = page.getByRole('slider', { name: /^Messages over time/ });
    this.messages = page.getByRole('table', { name: 'Messages' });
    const opener = page.getByRole('button', { name: /^Details/ });
    this.found = this.messages.getByRole('row').filter({ has: opener });
    this.drawer = new Drawer(page);
    this.details = this.drawer.region;
    this.fields = new Fields(page);
    this.alert = page.getByRole('alert');
    this.place = page.getByRole('img', { name: /^Line \d+, column \d+/ });
    this.warning = page.getByRole('status').filter({ hasText: /searched for the literal text/ });
    this.empty = page.getByRole('heading', { name: 'No message matches' });
    this.firstMessage = page.getByRole('region', { name: 'First message' });
    this.dialog = page.getByRole('dialog');
    this.count = page.getByRole('main').getByText(/^[\d\s]+ messages?$/);
  }

  /** Opens the page and searches; finds all messages unless a query is given. */
  async open(parameters: Record<string, string> = {}): Promise<void> {
    const search = new URLSearchParams({ q: '*', ...parameters }).toString();
    await this.page.goto(this.logstead.url(`/search?${search}`));
  }

  /** Opens the page before anything was searched. */
  async openBlank(parameters: Record<string, string> = {}): Promise<void> {
    const search = new URLSearchParams(parameters).toString();
    await this.page.goto(this.logstead.url(`/search${search && '?'}${search}`));
  }

  /** Opens a link that somebody sent. */
  async visit(link: string): Promise<void> {
    await this.page.goto(link);
  }

  async search(query: string): Promise<void> {
    await this.query.fill(query);
    await this.searchButton.click();
  }

  /** The text of the query, which is a plain field until its editor is loaded. */
  async written(): Promise<string> {
    return this.query.evaluate((field) =>
      field instanceof HTMLTextAreaElement ? field.value : (field as HTMLElement).innerText,
    );
  }

  /** Resolves when the query has its colours and suggestions. */
  async editor(): Promise<void> {
    await this.query.and(this.page.locator('[contenteditable]')).waitFor();
  }

  suggestion(name: string | RegExp): Locator {
    return this.page.getByRole('listbox', { name: 'Completions' }).getByRole('option', { name });
  }

  /** The number in the status line; null while messages are being counted. */
  async total(): Promise<number | null> {
    const [text] = await this.count.allTextContents();
    return text === undefined ? null : Number(text.replaceAll(/\D/g, ''));
  }

  message(text: string | RegExp): Locator {
    return this.messages.getByRole('row').filter({ hasText: text });
  }

  /** Opens the details of a message. */
  async show(text: string | RegExp): Promise<void> {
    await this.message(text)
      .getByRole('button', { name: /^Details/ })
      .click();
  }

  /** A clause as a token in the query. */
  token(text: string): Locator {
    return this.query.locator('[data-clause]').filter({ hasText: text });
  }

  /** The actions for a clause, which appear when the pointer is on its token. */
  async clause(text: string): Promise<Locator> {
    const tools = this.clauses.getByRole('listitem', { name: text, exact: true });
    // The bar may be redrawn under a resting pointer; then the pointer moves there again, as a person's would.
    await expect(async () => {
      await this.page.mouse.move(0, 0);
      await this.token(text).first().hover();
      await tools.and(this.page.locator('[data-shown="true"]')).waitFor({ timeout: 2_000 });
    }).toPass();
    return tools;
  }

  /** Zooms into a part of the histogram; `from` and `to` are fractions of its width. */
  async zoom(from: number, to: number): Promise<void> {
    const box = await this.timeline.boundingBox();
    if (box === null) throw new Error('the histogram is not shown');
    await this.drag(box, from, to);
  }

  /** Drags over a part of the width of a box. */
  async drag(
    box: { x: number; y: number; width: number; height: number },
    from: number,
    to: number,
  ): Promise<void> {
    const y = box.y + box.height / 2;
    await this.page.mouse.move(box.x + from * box.width, y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + to * box.width, y, { steps: 4 });
    await this.page.mouse.up();
  }

  /** The button that shows how many messages arrived while the list stood still, and adds them. */
  newer(count: number): Locator {
    return this.page.getByRole('button', { name: `${count} new`, exact: true });
  }

  /** Selects a part of the text by dragging over it, in the first row that contains it. */
  async select(row: string | RegExp, part: string): Promise<void> {
    const box = await this.message(row)
      .first()
      .evaluate((element, wanted) => {
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
          const at = node.nodeValue?.indexOf(wanted) ?? -1;
          if (at === -1) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          const { left, right, top, height } = range.getBoundingClientRect();
          return { left, right, y: top + height / 2 };
        }
        throw new Error('there is no such text');
      }, part);
    await this.page.mouse.move(box.left, box.y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.right, box.y, { steps: 4 });
    await this.page.mouse.up();
  }

  /** Makes the list show messages as they arrive. */
  async goLive(): Promise<void> {
    await this.page.getByRole('button', { name: 'Live', exact: true }).click();
  }

  /** How many rows of the list overlap another one, once nothing moves any more. */
  async overlaps(): Promise<number> {
    await this.page.evaluate(drawn, SETTLED_FRAMES);
    const rows = this.messages.locator('[role="row"][data-row]');
    return rows.evaluateAll((elements) => {
      const boxes = elements.map((element) => element.getBoundingClientRect());
      boxes.sort((a, b) => a.top - b.top);
      return boxes.filter(({ top }, at) => top < (boxes[at - 1]?.bottom ?? -Infinity) - 1).length;
    });
  }

  column(field: string): Locator {
    return this.messages.getByRole('columnheader', { name: field, exact: true });
  }

  columnWidth(field: string): Locator {
    return this.messages.getByRole('separator', { name: `Width of ${field}`, exact: true });
  }

  /** The link that the share dialog offers first. */
  async share(): Promise<string> {
    await this.page.getByRole('button', { name: 'Share', exact: true }).click();
    const link = await this.dialog.getByRole('textbox', { name: 'Link' }).inputValue();
    await this.page.keyboard.press('Escape');
    return link;
  }

  /** The notice over a page that cannot be kept up to date. */
  get away(): Locator {
    return this.page.getByRole('status').getByText('The server cannot be reached.');
  }
}
