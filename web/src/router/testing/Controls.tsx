/** On which messages the draft is tried, how far that is, and the way to stop it. */
import { ActionIcon, Button, NativeSelect, Textarea } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { completeIn } from '../../api/complete';
import { formatCount } from '../../ui/number';
import { QueryField } from '../../ui/query/QueryField';
import { requestRange } from '../../ui/range';
import type { RouterDocument } from '../document';
import { idOf } from '../document';
import { Progress } from './Progress';
import { RangeChoice } from './RangeChoice';
import { SavedMenu } from './SavedMenu';
import { type TestMessages, PASTED_MAX, type Testing } from './useTesting';
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
    <form
      className={classes.controls}
      onSubmit={(event) => {
        event.preventDefault();
        onTry(messages);
      }}
    >
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
            <IconSearch className={classes.glass ?? ''} size={16} aria-hidden />
            <QueryField
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
        <Button type="button" variant="default" onClick={testing.stop}>
          Stop
        </Button>
      ) : (
        <Button type="submit" variant={report === null ? 'filled' : 'light'}>
          {report === null ? 'Test' : 'Test again'}
        </Button>
      )}
      {!isPasted && <Kept {...{ messages, choose }} />}
    </form>
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
          <ActionIcon
            size={18}
            aria-label="Search all logspaces"
            onClick={() => choose({ logspaces: [] })}
          >
            <IconX size={12} />
          </ActionIcon>
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
      <NativeSelect
        aria-label="As if received by"
        size="sm"
        value={messages.source}
        data={document.sources.map(idOf)}
        onChange={(event) => choose({ source: event.currentTarget.value })}
      />
    </>
  );
}
