/**
 * The text of a row: the message in words, then the few values that distinguish it from its
 * neighbours.
 */
import { type ReactNode, memo } from 'react';
import type { Message } from '../../api/model';
import { type Hits, hasHit, hitsIn, markHits } from '../highlight';
import { formatCount } from '../number';
import { highlightedText } from './HighlightedText';
import { type Profile, noProfile, worthSaying } from './profile';
import { smartOf } from './smart';
import type { Pair } from './structure';
import { ROW_CHARACTERS_MAX, cut, visible } from './text';
import { tokensOf } from './tokens';
import classes from './SmartText.module.css';

const PAIRS_MAX = 4;
/** The maximum number of pairs for rows with several lines. */
const WRAPPED_PAIRS_MAX = 40;
const VALUE_CHARACTERS_MAX = 48;

type Props = { message: Message; hits: Hits; wrap: boolean; profile?: Profile | undefined };

export function SmartText({ message, hits, wrap, profile = noProfile }: Props) {
  const { title, pairs, areFields } = smartOf(message);
  const { text, left } = cut(title, ROW_CHARACTERS_MAX);
  const isHit = ({ key, value }: Pair) =>
    hits.length > 0 && hasHit(value, hitsIn(hits, areFields ? key : 'message'));
  const said = worthSaying(pairs, profile, text, wrap ? WRAPPED_PAIRS_MAX : PAIRS_MAX, isHit);
  return (
    <>
      <Coloured text={text} hits={hits} wrap={wrap} />
      {left > 0 && (
        // A click on it counts as one on its row, which opens the details.
        <button type="button" tabIndex={-1} className={classes.left}>
          … {formatCount(left)} more characters
        </button>
      )}
      {said.length > 0 && (
        <span className={classes.pairs}>
          {said.map((pair) => (
            <Value key={pair.key} pair={pair} isField={areFields} hits={hits} wrap={wrap} />
          ))}
        </span>
      )}
    </>
  );
}

type ValueProps = { pair: Pair; isField: boolean; hits: Hits; wrap: boolean };

/** Only values of fields can be searched for: the list finds the clicked field in `data-field`. */
function Value({ pair: { key, value }, isField, hits, wrap }: ValueProps) {
  const field = isField ? key : 'message';
  const start = startOf(value, hitsIn(hits, field));
  const { text, left } = cut(value.slice(start), VALUE_CHARACTERS_MAX);
  const asked = isField ? { 'data-field': key, 'data-value': value } : {};
  return (
    <>
      {' '}
      <span className={classes.pair} {...asked}>
        <span className="dimmed">{visible(key)}=</span>
        {start > 0 && '…'}
        {highlightedText(text, field, hits, wrap)}
        {left > 0 && '…'}
      </span>
    </>
  );
}

/**
 * The offset from which a value is shown: its beginning, or a little before a hit that lies behind the visible part.
 */
function startOf(value: string, hits: Hits): number {
  if (value.length <= VALUE_CHARACTERS_MAX || hits.length === 0) return 0;
  const [first = { text: '', color: null }, second] = markHits(value, hits);
  if (first.color !== null || second === undefined) return 0;
  const end = first.text.length + second.text.length;
  return end <= VALUE_CHARACTERS_MAX ? 0 : Math.max(0, first.text.length - BEFORE_HIT_CHARACTERS);
}

const BEFORE_HIT_CHARACTERS = 8;

type ColouredProps = { text: string; hits: Hits; wrap: boolean };

const Coloured = memo(function Coloured({ text, hits, wrap }: ColouredProps) {
  return markHits(text, hitsIn(hits, 'message')).map((piece, at) =>
    piece.color === null ? (
      tokens(piece.text, wrap, at)
    ) : (
      <mark key={at} data-color={piece.color}>
        {visible(piece.text, wrap)}
      </mark>
    ),
  );
});

/** `nth` is the index of the piece that contains the tokens. */
function tokens(text: string, wrap: boolean, nth: number): ReactNode {
  return tokensOf(text).map(({ text: part, kind }, at) =>
    kind === null ? (
      visible(part, wrap)
    ) : (
      <span key={`${nth} ${at}`} data-kind={kind} className={classes.token}>
        {part}
      </span>
    ),
  );
}
