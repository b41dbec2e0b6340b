/** The choice of messages for testing the draft, the progress, and a button to stop it. */
import { Button, Popover, SegmentedControl, Skeleton, TextInput, Textarea } from '@mantine/core';
import { IconCalendar, IconChevronDown, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Form } from '../../ui/Form';
import { completeIn } from '../../api/query';
import { IconButton } from '../../ui/IconButton';
import { SelectField } from '../../ui/Fields';
import { formatCount } from '../../ui/number';
import { QueryField } from '../../ui/query/QueryField';
import { type TimeRange, rangeLabel, requestRange } from '../../ui/range';
import { AbsoluteRange, RelativeRange } from '../../ui/picker/RangeForms';
import { formatLength, useZone, zoneLabel } from '../../ui/time';
import { type SavedSearch, savedSearchesQuery } from '../../api/savedSearches';
import { Failure } from '../../ui/Notice';
import { type RouterDocument, idOf } from '../document';
import { type TestMessages, PASTED_MAX, type Testing } from './useTesting';
import { isEstimate } from './estimate';
import type { TestReport } from './wire';
import classes from './Controls.module.css';

type Props = {
  testing: Testing;
  document: RouterDocument;
  onTry: (messages: TestMessages) => void;
};

export function Controls({ testing, document, onTry }: Props) {
  const { messages, report, isRunning, choose } = testing;
  const isPasted = messages.pasted !== null;
  return (
    <Form className={classes.controls} onSubmit={() => onTry(messages)}>
      {isPasted ? (
        <Pasted {...{ messages, document, choose }} />
      ) : (
        <>
          <RangeChoice
            range={messages.range}
            onChange={(range) => {
              choose({ range });
              if (report !== null) onTry({ ...messages, range });
            }}
          />
          <div className={classes.query}>
            <QueryField
              hasIcon
              label="Only messages that match"
              placeholder="All messages, or only those a search finds"
              value={messages.query}
              complete={completeIn({ ...requestRange(messages.range), logspaces: [] })}
              onChange={(query) => choose({ query, saved: null })}
              onRun={() => onTry(messages)}
            />
            <SavedMenu
              onChoose={(saved) => {
                const next = testing.useSaved(saved);
                if (report !== null) onTry(next);
              }}
            />
          </div>
        </>
      )}
      {(report !== null || isRunning) && <Progress testing={testing} />}
      {isRunning ? (
        <Button type="button" onClick={testing.stop}>
          Stop
        </Button>
      ) : (
        <Button type="submit" variant={report === null ? 'filled' : 'light'}>
          {report === null ? 'Test' : 'Test again'}
        </Button>
      )}
      {!isPasted && <Kept {...{ messages, choose }} />}
    </Form>
  );
}

type PartProps = { messages: TestMessages; choose: Testing['choose'] };

/** The parts of a saved search that are not in the query. */
function Kept({ messages, choose }: PartProps) {
  const { saved, logspaces } = messages;
  if (saved === null && logspaces.length === 0) return null;
  return (
    <p className={classes.kept}>
      {saved !== null && <span>Saved search “{saved.name}”.</span>}
      {saved?.hasStages === true && (
        <span>Its stages are left out: a draft is tried on messages, not on a table.</span>
      )}
      {logspaces.length > 0 && (
        <span className={classes.pill}>
          only in {logspaces.join(', ')}
          <IconButton
            icon={IconX}
            iconSize={12}
            size={18}
            label="Search all logspaces"
            onClick={() => choose({ logspaces: [] })}
          />
        </span>
      )}
    </p>
  );
}

function Pasted({ messages, document, choose }: PartProps & { document: RouterDocument }) {
  const source = document.sources.find((one) => idOf(one) === messages.source);
  return (
    <>
      <Textarea
        className={classes.pasted ?? ''}
        aria-label="Messages"
        placeholder={
          source?.['kind'] === 'http'
            ? `A JSON object or a text per line; at most ${formatCount(PASTED_MAX)}`
            : `One message per line, as it is sent; at most ${formatCount(PASTED_MAX)}`
        }
        autosize
        minRows={2}
        maxRows={8}
        classNames={{ input: 'mono' }}
        value={messages.pasted ?? ''}
        onChange={(event) => choose({ pasted: event.currentTarget.value })}
      />
      <SelectField
        aria-label="As if received by"
        size="sm"
        value={messages.source}
        data={document.sources.map(idOf)}
        onChange={(value) => choose({ source: value })}
      />
    </>
  );
}

const offered = [
  { value: '15m', label: '15 min' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
];

type RangeChoiceProps = { range: TimeRange; onChange: (range: TimeRange) => void };

/** The range of messages to test: one of a few presets, or any other range. */
function RangeChoice({ range, onChange }: RangeChoiceProps) {
  const [opened, setOpened] = useState(false);
  const [zone] = useZone();
  const offers = offered.find(({ value }) => range.kind === 'last' && range.span === value);
  const choose = (chosen: TimeRange) => {
    setOpened(false);
    onChange(chosen);
  };
  return (
    <div className="row gap4">
      <SegmentedControl
        aria-label="Time range"
        value={offers?.value ?? ''}
        data={offered}
        onChange={(span) => choose({ kind: 'last', span })}
      />
      <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <Button
            variant={offers === undefined ? 'light' : 'default'}
            className={classes.custom ?? ''}
            aria-label={
              offers === undefined ? `Time range: ${rangeLabel(range, zone)}` : 'Another time range'
            }
            onClick={() => setOpened(!opened)}
          >
            <IconCalendar size={16} aria-hidden />
            {offers === undefined && <span>{rangeLabel(range, zone)}</span>}
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={classes.forms ?? ''} aria-label="Time range">
          <RelativeRange range={range} onChoose={choose} />
          <AbsoluteRange range={range} zone={zone} onChoose={choose} />
          <Button onClick={() => choose({ kind: 'all' })}>All that is stored</Button>
          <span className="dimmed">Times are in {zoneLabel(zone, new Date())}</span>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

const SHOWN_MAX = 30;

/** Chooses a saved search whose messages are tested. */
function SavedMenu({ onChoose }: { onChoose: (saved: SavedSearch) => void }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={360}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          className={classes.saved ?? ''}
          variant="subtle"
          color="gray"
          aria-label="Saved searches"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          Saved
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label="Saved searches">
        <Choice
          onChoose={(saved) => {
            setOpened(false);
            onChoose(saved);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ onChoose }: { onChoose: (saved: SavedSearch) => void }) {
  const { data, error, refetch } = useQuery(savedSearchesQuery);
  const [text, setText] = useState('');
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={96} aria-label="Loading" />;
  if (data.length === 0) {
    return <p className="dimmed">No search is saved yet. Save one on the page Search.</p>;
  }
  const shown = foundBy(data, text);
  return (
    <>
      <TextInput
        data-autofocus
        size="xs"
        aria-label="Find a saved search"
        placeholder="Name, folder or query"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && shown[0] !== undefined) onChoose(shown[0]);
        }}
      />
      <ul className={classes.savedList}>
        {shown.slice(0, SHOWN_MAX).map((saved) => (
          <li key={saved.id}>
            <button
              type="button"
              className="hoverable block pad4x8 fullWidth round4"
              onClick={() => onChoose(saved)}
            >
              <b>{saved.name}</b>
              {saved.folder !== '' && <span className="dimmed"> in {saved.folder}</span>}
              <span className="block truncate mono dimmed">
                {saved.query === '' ? 'all messages' : saved.query}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="dimmed">No saved search has all of these words.</p>}
      {shown.length > SHOWN_MAX && (
        <p className="dimmed">{shown.length - SHOWN_MAX} more: write a part of the name.</p>
      )}
    </>
  );
}

function foundBy(searches: readonly SavedSearch[], text: string): SavedSearch[] {
  const words = text.toLowerCase().split(/\s+/u);
  return searches.filter(({ name, folder, query }) => {
    const all = `${name}\n${folder}\n${query}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The time after which a progress bar is shown: a shorter test does not need one. */
const SHOWN_MS = 100;

/** The progress of a test: from a sample, or from every message. */
function Progress({ testing }: { testing: Testing }) {
  const { report, isRunning, isOld, secondsLeft } = testing;
  const fraction = isOld ? 0 : (report?.fraction ?? 0);
  const { state, detail } =
    report === null || isOld
      ? { state: 'Looking for messages', detail: '' }
      : progressText(report, isRunning, secondsLeft);
  return (
    <div className={classes.progress}>
      <div className={classes.progressText}>
        {/* Told only when it changes, which figures do all the time. */}
        <b role="status">{state}</b>
        <span>{detail}</span>
      </div>
      <span
        className={classes.meter}
        role="progressbar"
        aria-label="Messages tried"
        aria-valuenow={Math.floor(100 * fraction)}
      >
        <span style={{ width: `${100 * fraction}%` }} />
      </span>
    </div>
  );
}

export function progressText(
  report: TestReport,
  isRunning: boolean,
  secondsLeft: number | null,
): { state: string; detail: string } {
  const { messages, total, fraction, complete, took_ms } = report;
  if (complete) {
    const tried = messages === 1 ? 'The message was tried' : 'Every message was tried';
    return {
      state: messages === 0 ? 'No message to try' : tried,
      detail: formatCount(messages) + (took_ms < SHOWN_MS ? '' : ` in ${formatLength(took_ms)}`),
    };
  }
  const left = secondsLeft === null ? '' : `, exact in ${secondsLeft} s`;
  if (isEstimate(report)) {
    return {
      state: `${isRunning ? '' : 'Stopped: '}${isRunning ? 'Sample' : 'sample'} of ${formatCount(messages)}`,
      detail: `of ${formatCount(total)}${isRunning ? left : ''}`,
    };
  }
  const percent = Math.floor(100 * fraction);
  return {
    state: isRunning ? 'Trying every message' : `Stopped at ${percent} %`,
    detail: `${formatCount(messages)} of ${formatCount(total)}${isRunning ? left : ''}`,
  };
}
