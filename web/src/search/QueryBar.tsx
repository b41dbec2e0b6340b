/** Where the query is written: Enter runs it, Shift-Enter goes to a new line. */
import { Button, Textarea } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { LogspaceInfo } from '../api/model';
import { useKeys } from '../ui/useKeys';
import { LogspacePicker } from './LogspacePicker';
import { TimeRangePicker } from './TimeRangePicker';
import type { SearchState } from './searchParams';
import classes from './QueryBar.module.css';

type Props = {
  state: SearchState;
  logspaces: readonly LogspaceInfo[];
  onRun: (state: SearchState) => void;
  onChange: (state: SearchState) => void;
};

export function QueryBar({ state, logspaces, onRun, onChange }: Props) {
  const [text, setText] = useState(state.query);
  const input = useRef<HTMLTextAreaElement>(null);
  useKeys({
    '/': () => {
      input.current?.focus();
      input.current?.select();
    },
  });
  const run = () => onRun({ ...state, query: text.trim() });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') input.current?.blur();
    // While an input method composes a word, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    run();
  };
  // A change of range or logspace takes along what is written but was not run yet.
  const change = (next: SearchState) => onChange({ ...next, query: text.trim() });
  return (
    <div className={classes.bar} role="search" aria-label="Messages">
      <Textarea
        ref={input}
        className={classes.query}
        classNames={{ input: classes.input ?? '' }}
        aria-label="Query"
        placeholder='Words, "a phrase", host:web*'
        leftSection={<IconSearch size={16} />}
        autosize
        minRows={1}
        maxRows={8}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <TimeRangePicker range={state.range} onChange={(range) => change({ ...state, range })} />
      {logspaces.length > 1 && (
        <LogspacePicker
          logspaces={logspaces}
          chosen={state.logspaces}
          onChange={(chosen) => change({ ...state, logspaces: chosen })}
        />
      )}
      <Button className={classes.run ?? ''} size="sm" onClick={run}>
        Search
      </Button>
    </div>
  );
}
