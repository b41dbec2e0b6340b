/** Everything about one message, next to the results: fields, bytes, what happened around it. */
import { Anchor, FocusTrap, Group, Skeleton, Tabs } from '@mantine/core';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { ApiError } from '../../api/client';
import type { Message, QueryEdit } from '../../api/model';
import { Switcher } from '../../ui/Fields';
import { Notice } from '../../ui/Notice';
import type { Hits } from '../../ui/highlight';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { type MessageState, type Tab, messageQuery, routerHref } from '../messageState';
import { ContextTab } from './ContextTab';
import { DrawerHead } from './DrawerHead';
import { FieldsTab } from './FieldsTab';
import { useBrowserState } from '../../ui/useBrowserState';
import { Copy } from '../../ui/Copy';
import { cut } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import { requestTrace } from '../../api/query';
import { MessagePath } from '../../ui/trace/MessagePath';
import { HighlightedText } from '../../ui/message/HighlightedText';
import { JsonText } from './JsonText';
import { bytesOf, hexRows } from './bytes';
import { detectedFormat } from './detectedFormat';
import classes from './Drawer.module.css';
import widthHandleClasses from './WidthHandle.module.css';
import jsonTabClasses from './JsonTab.module.css';
import rawTabClasses from './RawTab.module.css';

type Props = {
  state: MessageState;
  id: string;
  /**
   * The results, newest first: the drawer steps through them, and shows messages among them without
   * a request.
   */
  messages: readonly Message[];
  hits: Hits;
  onAsk: (part: Partial<MessageState>) => void;
  onChange: (part: Partial<MessageState>) => void;
};

const WIDTH_PX = 480;

/** Up to this width there is only room for one thing at a time. */
const NARROW = '(max-width: 960px)';

const tabs: readonly { value: Tab; label: string }[] = [
  { value: 'fields', label: 'Fields' },
  { value: 'raw', label: 'Raw' },
  { value: 'context', label: 'Context' },
  { value: 'path', label: 'Path' },
  { value: 'json', label: 'JSON' },
];

export function Drawer(props: Props) {
  const { id, messages, onChange } = props;
  const known = messages.find((message) => message.id === id);
  const asked = useQuery({ ...messageQuery(id), enabled: known === undefined });
  const message = known ?? asked.data;
  const isSheet = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const [width, setWidth] = useBrowserState({
    key: 'logstead-drawer-width',
    defaultValue: WIDTH_PX,
  });
  const close = () => onChange({ open: null });
  const onKeyDown = (event: KeyboardEvent) => {
    const isInside = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (event.key !== 'Escape' || !isInside) return;
    // Otherwise the list would handle the key as well, and deselect its row.
    event.stopPropagation();
    close();
  };
  return (
    <FocusTrap active={isSheet}>
      <section
        className={classes.drawer}
        style={isSheet ? {} : { width }}
        role={isSheet ? 'dialog' : 'region'}
        aria-modal={isSheet ? true : undefined}
        aria-label={`Message ${id}`}
        onKeyDown={onKeyDown}
      >
        {!isSheet && <WidthHandle width={width} onWidth={setWidth} />}
        <DrawerHead {...props} message={message} onClose={close} />
        {message !== undefined && <Body key={id} {...props} message={message} />}
        {message === undefined && asked.error !== null && (
          <div className={classes.body}>
            <Missing error={asked.error} onRetry={() => void asked.refetch()} />
          </div>
        )}
        {message === undefined && asked.error === null && <Loading />}
      </section>
    </FocusTrap>
  );
}

function Body(props: Props & { message: Message }) {
  const { state, message, hits, onAsk, onChange } = props;
  const edit = useEdit(state.query);
  const filter = (field: string, value: string, exclude: boolean) =>
    // The message stays open, although it may no longer be in the results.
    edit([valueEdit(field, value, exclude)], (query) => onAsk({ query, open: message.id }));
  const ask = (edits: readonly QueryEdit[]) =>
    edit(edits, (query) => onAsk({ query, open: message.id }));
  const actions = {
    onOnly: (field: string, value: string) => filter(field, value, false),
    onExclude: (field: string, value: string) => filter(field, value, true),
    onTop: (field: string, value: string) =>
      ask([
        valueEdit(field, value, false),
        { op: 'top', field: field === 'host' ? 'program' : 'host' },
      ]),
    onBreakDown:
      state.split === undefined ? undefined : (field: string) => onChange({ split: field }),
  };
  return (
    <Tabs
      className="stack grow minHeight0"
      value={state.tab}
      onChange={(value) => {
        const tab = tabs.find((one) => one.value === value)?.value;
        if (tab !== undefined) onChange({ tab });
      }}
      keepMounted={false}
    >
      <Tabs.List>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="fields" className={classes.body ?? ''}>
        <FieldsTab
          state={state}
          actions={actions}
          message={message}
          hits={hits}
          columns={state.columns}
          onFilter={filter}
          onColumns={(columns) => onChange({ columns, view: 'table' })}
        />
      </Tabs.Panel>
      <Tabs.Panel value="raw" className={classes.body ?? ''}>
        <RawTab message={message} hits={hits} />
      </Tabs.Panel>
      <Tabs.Panel value="context" className="stack grow minHeight0">
        <ContextTab message={message} hits={hits} onOpen={(open) => onChange({ open })} />
      </Tabs.Panel>
      <Tabs.Panel value="path" className={classes.body ?? ''}>
        <PathTab id={message.id} />
      </Tabs.Panel>
      <Tabs.Panel value="json" className={classes.body ?? ''}>
        <JsonTab message={message} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Loading() {
  return (
    <div className={classes.body} role="status" aria-label="Loading the message">
      {[80, 60, 90, 70, 50].map((width) => (
        <Skeleton key={width} height={12} my={16} width={`${width}%`} />
      ))}
    </div>
  );
}

function Missing({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Notice tone="caution" title="This message is not in the store.">
        It was deleted when it became too old for its logspace, or the link is incomplete.
      </Notice>
    );
  }
  if (error instanceof ApiError && error.status === 403) {
    return <Notice tone="caution" title={error.message} />;
  }
  return <Notice tone="error" title={error.message} onRetry={onRetry} />;
}

const WIDTH_PX_MIN = 340;
const WIDTH_PX_MAX = 1_400;
const STEP_PX = 16;

type WidthHandleProps = { width: number; onWidth: (px: number) => void };

/** The edge of the drawer: drag it, or use the arrow keys, to change the width. */
function WidthHandle({ width, onWidth }: WidthHandleProps) {
  const [from, setFrom] = useState<{ x: number; px: number } | null>(null);
  const set = (px: number) => onWidth(Math.min(Math.max(px, WIDTH_PX_MIN), WIDTH_PX_MAX));
  const byKey = (event: KeyboardEvent) => {
    const change = event.key === 'ArrowLeft' ? STEP_PX : event.key === 'ArrowRight' ? -STEP_PX : 0;
    if (change === 0) return;
    event.preventDefault();
    set(width + change);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the message"
      aria-valuenow={width}
      aria-valuemin={WIDTH_PX_MIN}
      aria-valuemax={WIDTH_PX_MAX}
      tabIndex={0}
      className={widthHandleClasses.handle}
      data-dragged={from !== null}
      onKeyDown={byKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setFrom({
          x: event.clientX,
          px: event.currentTarget.parentElement?.offsetWidth ?? width,
        });
      }}
      onPointerMove={(event) => from !== null && set(from.px + from.x - event.clientX)}
      onPointerUp={() => setFrom(null)}
      onPointerCancel={() => setFrom(null)}
    />
  );
}

const SHOWN_CHARACTERS_MAX = 50_000;

/** A message as the API returns it. */
function JsonTab({ message }: { message: Message }) {
  const [all, setAll] = useState(false);
  const json = useMemo(() => JSON.stringify(message, null, 2), [message]);
  const { text, left } = cut(json, all ? Infinity : SHOWN_CHARACTERS_MAX);
  return (
    <section className="relative" aria-label="JSON">
      <span className={jsonTabClasses.copy}>
        <Copy what="JSON" text={json} />
      </span>
      <pre className={jsonTabClasses.json} tabIndex={0} role="region" aria-label="Message as JSON">
        <JsonText text={text} />
      </pre>
      {left > 0 && (
        <Anchor component="button" size="sm" onClick={() => setAll(true)}>
          Show {formatCount(left)} more characters
        </Anchor>
      )}
    </section>
  );
}

/** The path of a message through the live router document: route by route, step by step. */
function PathTab({ id }: { id: string }) {
  const { data: trace, error, refetch } = useQuery(traceQuery(id));
  if (error !== null) return <NoPath error={error} onRetry={() => void refetch()} />;
  if (trace === undefined) return <PathLoading />;
  return (
    <div className="stack gap12">
      <p className="soft">
        What the router does with this message as it is set up now. Received by{' '}
        <b>{trace.source}</b>.{' '}
        <Anchor href={routerHref({ trace: id })} underline="always">
          Show it on the map
        </Anchor>
      </p>
      <MessagePath trace={trace} linkTo={(at) => routerHref({ item: `routes-${at}` })} />
    </div>
  );
}

function traceQuery(id: string) {
  return queryOptions({
    queryKey: ['trace', id],
    queryFn: () => requestTrace({ id }),
    retry: false,
  });
}

function NoPath({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 403) {
    return (
      <Notice tone="caution" title="You may not see the router.">
        Ask an administrator for the role operator, with access to all logspaces.
      </Notice>
    );
  }
  return <Notice tone="error" title={error.message} onRetry={onRetry} />;
}

function PathLoading() {
  return (
    <div role="status" aria-label="Tracing the message">
      {[60, 90, 80, 90].map((width, at) => (
        <Skeleton key={at} height={12} my={16} width={`${width}%`} />
      ))}
    </div>
  );
}

const SHOWN_MAX = 4_096;
const MORE = 65_536;

/** The width needed for sixteen bytes and their text. */
const WIDE_PX = 540;

type Form = 'text' | 'hex';
type RawTabProps = { message: Message; hits: Hits };

/**
 * The bytes of a message as they were received, as text or in hexadecimal, and the format that was
 * recognised.
 */
function RawTab({ message, hits }: RawTabProps) {
  const [form, setForm] = useBrowserState<Form>({
    key: 'logstead-raw-form',
    defaultValue: 'text',
  });
  const { ref, width } = useElementSize<HTMLPreElement>();
  const perRow = width > 0 && width < WIDE_PX ? 8 : 16;
  const [shownMax, setShownMax] = useState(SHOWN_MAX);
  const bytes = useMemo(() => bytesOf(message), [message]);
  const { text, left } = cut(message.raw, shownMax);
  const missing = form === 'hex' ? Math.max(0, bytes.length - shownMax) : left;
  return (
    <>
      <Group justify="space-between" mb={8}>
        <Switcher
          label="Form"
          value={form}
          texts={{ text: 'Text', hex: 'Hex' }}
          onChange={setForm}
        />
        <Copy
          what={form === 'hex' ? 'hex' : 'raw'}
          text={form === 'hex' ? hexRows(bytes, bytes.length) : message.raw}
        />
      </Group>
      <pre
        ref={ref}
        className={rawTabClasses.raw}
        data-form={form}
        tabIndex={0}
        role="region"
        aria-label="Raw message"
      >
        {form === 'hex' ? (
          hexRows(bytes, shownMax, perRow)
        ) : (
          <HighlightedText text={text} field="raw" hits={rawHits(hits)} lines />
        )}
      </pre>
      {missing > 0 && (
        <Anchor component="button" size="sm" onClick={() => setShownMax(shownMax + MORE)}>
          Show more ({formatCount(missing)} {form === 'hex' ? 'bytes' : 'characters'} are left)
        </Anchor>
      )}
      {message.raw_base64 !== undefined && form === 'text' && (
        <p className="caution">Not UTF-8: shown approximately. Hex shows every byte.</p>
      )}
      <dl className={rawTabClasses.facts}>
        {detectedFormat(message, bytes.length).map(({ what, as }, at) => (
          <div key={at}>
            <dt>{what}</dt>
            <dd>{as}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Hits in the message also apply to its bytes. */
function rawHits(hits: Hits): Hits {
  return hits
    .filter(({ field }) => field === null || field === 'message' || field === 'raw')
    .map((term) => ({ ...term, field: 'raw' }));
}
