/** A route described in one sentence. Pure. */
import { formatRate } from '../../ui/number';
import { type Item, isOff, listOf } from '../document';
import { stepsOf } from '../steps/steps';

/** A part of a sentence; the important words are strong. */
export type SentencePart = { text: string; isStrong?: true };

/**
 * `takes` and `total` are messages a second, undefined where they are not known. `isOther`: the live route, of which that
 * is known, takes others.
 */
export function sentenceOf(
  route: Item,
  takes: number | undefined,
  total: number | undefined,
  isOther = false,
): readonly SentencePart[] {
  if (isOff(route)) return [{ text: 'Is off: messages pass it by.' }];
  const steps = stepsOf(route).length;
  const targets = listOf(route['to']);
  return [
    ...taken(takes, total, isOther),
    ...(steps === 0
      ? []
      : [{ text: ', changes it in ' }, strong(steps === 1 ? '1 step' : `${steps} steps`)]),
    ...(targets.length === 0 ? [{ text: ', has no target yet' }] : sent(targets)),
    { text: `, and ${route['final'] === true ? 'ends there' : 'lets later routes see it too'}.` },
  ];
}

function taken(
  takes: number | undefined,
  total: number | undefined,
  isOther: boolean,
): SentencePart[] {
  if (takes === undefined || total === undefined) return [{ text: 'Takes what matches' }];
  if (total === 0) return [{ text: 'Takes what matches (nothing comes right now)' }];
  return [
    { text: isOther ? 'Takes what matches (live: ' : 'Takes ' },
    strong(percent(takes / total)),
    { text: ' of the traffic, ' },
    strong(`${formatRate(takes)}/s`),
    { text: isOther ? ')' : '' },
  ];
}

function sent(targets: readonly string[]): SentencePart[] {
  const names = targets.flatMap((name, at) => {
    const glue = at === 0 ? '' : at === targets.length - 1 ? ' and ' : ', ';
    return [{ text: glue }, strong(name)];
  });
  return [{ text: ', sends it to ' }, ...names];
}

function strong(text: string): SentencePart {
  return { text, isStrong: true };
}

function percent(share: number): string {
  const value = 100 * Math.min(share, 1);
  return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}
