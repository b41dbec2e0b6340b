/** Suggestions of the server and of the history, as the editor's list shows them. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { detailElement } from '../editor/completion';
import { charactersBefore, unitAt } from './offsets';
import { type Complete, type Suggestion, detailOf, signOf } from './suggestions';

export async function completionsOf(
  complete: Complete,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const aborter = new AbortController();
  context.addEventListener('abort', () => aborter.abort(), { onDocChange: true });
  const cursor = charactersBefore(text, context.pos);
  const found = await complete(text, cursor, aborter.signal).catch(() => null);
  if (found === null || found.options.length === 0) return null;
  return {
    from: unitAt(text, found.from),
    to: unitAt(text, found.to),
    filter: false,
    options: found.options.map((option) => new Offer(option)),
  };
}

/** The parts of a list row beside its label. */
export const suggestionParts = [
  { render: renderSign, position: 20 },
  { render: renderDetail, position: 80 },
];

/** A suggestion in the editor's own form. */
class Offer implements Completion {
  readonly label: string;
  readonly apply: string;
  readonly type: string;

  constructor(readonly option: Suggestion) {
    this.label = option.label;
    this.apply = option.insert;
    this.type = option.kind;
  }
}

function renderSign(completion: Completion): Node | null {
  if (!(completion instanceof Offer)) return null;
  const sign = document.createElement('span');
  sign.className = 'cm-sign';
  sign.dataset['kind'] = completion.option.kind;
  sign.ariaHidden = 'true';
  sign.textContent = signOf(completion.option.kind);
  return sign;
}

function renderDetail(completion: Completion): Node | null {
  return completion instanceof Offer ? detailElement(detailOf(completion.option)) : null;
}
