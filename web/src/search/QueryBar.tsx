/** Where the query is written: Enter runs it, Shift-Enter goes to a new line. */
import { Button, Textarea } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useKeys } from '../ui/useKeys';
import type { SearchState } from './searchParams';
import classes from './QueryBar.module.css';

type Props = {
  state: SearchState;
  onRun: (query: string) => void;
};

export function QueryBar({ state, onRun }: Props) {
  const [text, setText] = useState(state.query);
  const input = useRef<HTMLTextAreaElement>(null);
  useKeys({
    '/': {
      does: 'Go to the query',
      run: () => {
        input.current?.focus();
        input.current?.select();
      },
    },
    Enter: { does: 'Run the query' },
    'Shift-Enter': { does: 'New line in the query' },
    Escape: { does: 'Leave the query' },
  });
  const run = () => onRun(text.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') input.current?.blur();
    // While an input method composes a word, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    run();
  };
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
      <Button className={classes.run ?? ''} size="sm" onClick={run}>
        Search
      </Button>
    </div>
  );
}
