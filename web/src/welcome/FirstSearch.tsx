/** The first searches to try, with the message that came in as the example. */
import { Button } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import type { Message } from '../api/model';
import { MessageLine } from './ArrivalPanel';
import { examplesFor } from './examples';
import classes from './WelcomePage.module.css';

type Props = {
  message: Message | null;
  onSearch: (query: string) => void;
  onBack: () => void;
};

export function FirstSearch({ message, onSearch, onBack }: Props) {
  if (message === null) {
    return (
      <>
        <p>Nothing has come in yet: there is more to see with a first message.</p>
        <div>
          <Button size="sm" onClick={onBack}>
            Send a test message
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <MessageLine message={message} />
      <p>Each of these finds it. A query can be as short as a word:</p>
      <ul className={classes.examples}>
        {examplesFor(message).map(({ query, finds }) => (
          <li key={query}>
            <button type="button" className={classes.example} onClick={() => onSearch(query)}>
              <code className="breakAnywhere mono">{query}</code>
              <span className="dimmed">{finds}</span>
              <IconArrowRight size={16} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <div>
        <Button size="sm" onClick={() => onSearch('')}>
          Open Search
        </Button>
      </div>
    </>
  );
}
