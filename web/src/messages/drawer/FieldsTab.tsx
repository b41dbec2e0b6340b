/** The text of a message and its fields, with pinned ones first. */
import { Anchor, Button, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import { FieldList } from '../../ui/message/FieldList';
import { fieldGroups } from '../../ui/message/fields';
import { toggled } from '../list/columns';
import type { MessageState } from '../messageState';
import {
  type Share,
  type Shares,
  errorsQuery,
  shareOf,
  shareText,
  sharesQuery,
  shownValues,
} from './shares';
import { isAllSaid } from './title';
import { useBrowserState } from '../../ui/useBrowserState';
import { cut, visible } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import { HighlightedText } from '../../ui/message/HighlightedText';
import { JsonText } from './JsonText';
import { type Payload, payloadOf } from './payload';
import classes from './Shares.module.css';
import payloadBoxClasses from './PayloadBox.module.css';

type Props = {
  state: MessageState;
  message: Message;
  hits: Hits;
  columns: readonly string[];
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onColumns: (columns: string[]) => void;
  actions: FieldActions;
};

export function FieldsTab(props: Props) {
  const { state, message, hits, columns, onFilter, onColumns, actions } = props;
  const [opened, setOpened] = useState<string | null>(null);
  const names = useMemo(() => namesOf(message), [message]);
  const { data: shares } = useQuery(sharesQuery(state, names));
  const [filter, setFilter] = useState('');
  const payload = usePayload(message);
  // The fields show the same information, in a better form.
  const isStructured = payload.kind === 'json' || payload.kind === 'pairs';
  const [pinned, setPinned] = useBrowserState<string[]>({
    key: 'logstead-pinned-fields',
    defaultValue: [],
  });
  return (
    <>
      {!isStructured && !isAllSaid(message) && (
        <PayloadBox message={message} payload={payload} hits={hits} />
      )}
      <TextInput
        size="xs"
        aria-label="Filter fields"
        placeholder="Filter fields by name or value"
        leftSection={<IconFilter size={14} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <FieldList
        message={message}
        hits={hits}
        filter={filter}
        pinned={pinned}
        onPin={(field) => setPinned(toggled(pinned, field))}
        columns={columns}
        onColumn={(field) => onColumns(toggled(columns, field))}
        onFilter={onFilter}
        {...(shares !== undefined && {
          aside: (field: string, value: string) => (
            <ShareBar
              field={field}
              share={shareOf(shares, field, value)}
              isOpen={opened === `${field} ${value}`}
              onToggle={() =>
                setOpened(opened === `${field} ${value}` ? null : `${field} ${value}`)
              }
            />
          ),
          below: (field: string, value: string) =>
            opened === `${field} ${value}` && (
              <ValueShares {...{ state, shares, field, value }} {...actions} />
            ),
        })}
      />
      {isStructured && <PayloadBox message={message} payload={payload} hits={hits} />}
    </>
  );
}

function namesOf(message: Message): string[] {
  const rows = fieldGroups(message).flatMap((group) => group.rows);
  return rows.filter(({ kind }) => kind === 'filter').map(({ field }) => field);
}

type ShareBarProps = { field: string; share: Share | null; isOpen: boolean; onToggle: () => void };

/** The share of a value, as a bar that opens the values of its field. */
function ShareBar({ field, share, isOpen, onToggle }: ShareBarProps) {
  const text = share === null ? '–' : shareText(share);
  return (
    <button
      type="button"
      className={classes.share}
      aria-expanded={isOpen}
      aria-label={`Values of ${field}: this one ${text}`}
      title={`Values of ${field}`}
      onClick={onToggle}
    >
      <span className={classes.track}>
        <span style={{ width: `${(share?.part ?? 0) * 100}%` }} />
      </span>
      <span className={classes.percent}>{text}</span>
    </button>
  );
}

const VALUE_CHARACTERS_MAX = 60;
/**
 * A value that is more frequent among errors than elsewhere by this factor is shown in the colour
 * of errors.
 */
const SUSPECT_FACTOR = 1.15;

type FieldActions = {
  onOnly: (field: string, value: string) => void;
  onExclude: (field: string, value: string) => void;
  onTop: (field: string, value: string) => void;
  /** Undefined on a page without a histogram. */
  onBreakDown: ((field: string) => void) | undefined;
};

type ValueSharesProps = FieldActions & {
  state: MessageState;
  shares: Shares;
  field: string;
  value: string;
};

/**
 * The values of a field among all messages of the search: how unusual that of this message is, and
 * actions on each.
 */
function ValueShares({ state, shares, field, value, ...on }: ValueSharesProps) {
  const { data: errors } = useQuery(errorsQuery(state, field, value, shares));
  const facet = shares.fields[field];
  const share = shareOf(shares, field, value);
  const shown = facet === undefined ? [] : shownValues(facet, value);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <div className={classes.distribution} role="group" aria-label={`Values of ${field}`}>
      <p>
        <b>{visible(cut(value, VALUE_CHARACTERS_MAX).text)}</b>
        {share !== null && ` is ${shareText(share)} here`}
        {errors !== undefined && errors !== null && share !== null && (
          <span data-suspect={errors > share.part * SUSPECT_FACTOR}>
            , {shareText({ part: errors, atMost: false })} of errors
          </span>
        )}
      </p>
      <ul>
        {shown.map((one) => (
          <li key={one.value} data-own={one.value === value}>
            <span className={classes.name} title={one.value}>
              {visible(cut(one.value, VALUE_CHARACTERS_MAX).text)}
            </span>
            <span className={classes.bar} style={{ width: `${(one.count / most) * 100}%` }} />
            <span>{formatCount(one.count)}</span>
            <span>{shareText({ part: one.count / Math.max(1, shares.total), atMost: false })}</span>
          </li>
        ))}
      </ul>
      <div className="flex wrap gap4">
        <Button size="compact-xs" onClick={() => on.onOnly(field, value)}>
          Only this
        </Button>
        <Button size="compact-xs" onClick={() => on.onExclude(field, value)}>
          Exclude
        </Button>
        <Button size="compact-xs" onClick={() => on.onTop(field, value)}>
          Top by {field === 'host' ? 'program' : 'host'}
        </Button>
        {on.onBreakDown !== undefined && (
          <Button size="compact-xs" onClick={() => on.onBreakDown?.(field)}>
            Break down
          </Button>
        )}
      </div>
    </div>
  );
}

/** Maximum number of characters shown at first: a message can be 64 KiB and more. */
const SHOWN_CHARACTERS_MAX = 8_000;

type PayloadBoxProps = { message: Message; payload: Payload; hits: Hits };

function usePayload({ message }: Message): Payload {
  return useMemo(() => payloadOf(message), [message]);
}

/** The text of a message in its most readable form, or as it was sent. */
function PayloadBox({ message, payload, hits }: PayloadBoxProps) {
  const [isRaw, setRaw] = useState(false);
  return (
    <section className={payloadBoxClasses.box} aria-label="Text">
      <div className={payloadBoxClasses.head}>
        <h3>{isRaw ? 'As sent' : payloadNames[payload.kind]}</h3>
        {payload.kind !== 'text' && (
          <button
            type="button"
            className={payloadBoxClasses.toggle}
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
          >
            Raw
          </button>
        )}
      </div>
      {isRaw ? (
        <Text text={message.message} hits={hits} />
      ) : (
        <Formatted payload={payload} hits={hits} />
      )}
    </section>
  );
}

function Formatted({ payload, hits }: { payload: Payload; hits: Hits }) {
  switch (payload.kind) {
    case 'json':
      return (
        <>
          <Json text={payload.text} />
          {payload.trace !== null && (
            <>
              <h3>Stack trace</h3>
              <Text text={payload.trace} hits={hits} name="Stack trace" />
            </>
          )}
        </>
      );
    case 'pairs':
      return (
        <dl className={payloadBoxClasses.pairs} tabIndex={0} aria-label="Message">
          {payload.pairs.map(({ key, value }, at) => (
            <div key={at}>
              <dt>{key}</dt>
              <dd>
                <HighlightedText
                  text={cut(value, SHOWN_CHARACTERS_MAX).text}
                  field="message"
                  hits={hits}
                />
              </dd>
            </div>
          ))}
        </dl>
      );
    case 'trace':
    case 'text':
      return <Text text={payload.text} hits={hits} />;
  }
}

function Json({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const { text: shown, left } = cut(text, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <>
      <pre className={payloadBoxClasses.text} tabIndex={0} aria-label="Message" role="region">
        <JsonText text={shown} />
      </pre>
      <More left={left} onMore={() => setAll(true)} />
    </>
  );
}

type TextProps = { text: string; hits: Hits; name?: string };

function Text({ text, hits, name = 'Message' }: TextProps) {
  const [all, setAll] = useState(false);
  const { text: shown, left } = cut(text, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <>
      <pre className={payloadBoxClasses.text} tabIndex={0} aria-label={name} role="region">
        {shown.split('\n').map((line, at) => (
          // Each line is an element of its own, so that line ends are visible without a mark.
          <span key={at}>
            <HighlightedText text={line} field="message" hits={all ? [] : hits} />
            {'\n'}
          </span>
        ))}
      </pre>
      <More left={left} onMore={() => setAll(true)} />
    </>
  );
}

function More({ left, onMore }: { left: number; onMore: () => void }) {
  if (left === 0) return null;
  return (
    <Anchor component="button" size="sm" className={payloadBoxClasses.more ?? ''} onClick={onMore}>
      Show {formatCount(left)} more characters
    </Anchor>
  );
}

const payloadNames: Readonly<Record<Payload['kind'], string>> = {
  json: 'JSON',
  pairs: 'Key and value',
  trace: 'Stack trace',
  text: 'Message',
};
