/** From a new server to a first message that is found, step by step; it can be left and come back to. */
import { Anchor, Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { follow, useOpen, address } from '../ui/open';
import { ArrivalPanel } from './ArrivalPanel';
import { Listeners } from './Listeners';
import { FirstSearch } from './FirstSearch';
import { SendCommands } from './SendCommands';
import { arrivalQuery } from './arrival';
import { testWord } from '../ui/testWord';
import type { WelcomeStep } from './welcomeParams';
import classes from './WelcomePage.module.css';

type Props = { step: WelcomeStep; onStep: (step: WelcomeStep) => void };

export function WelcomePage({ step, onStep }: Props) {
  const open = useOpen();
  /** Leaves for Search, with this query over all time. */
  const onSearch = (query: string) =>
    open(address('/search', query === '' ? {} : { q: query, from: 'all' }));
  const [word] = useState(testWord);
  const { data: arrival, error } = useQuery(arrivalQuery(word));
  const hasArrived = arrival?.message != null;
  return (
    <div className={classes.page}>
      <header className="flex spread alignStart gap16">
        <div>
          <h1>Set up Logstead</h1>
          <p className="dimmed">
            Three steps. You can leave at any time and come back: Ctrl K, Send a test message.
          </p>
        </div>
        <Button className="rigid" variant="subtle" onClick={() => onSearch('')}>
          Skip
        </Button>
      </header>
      <Steps step={step} hasArrived={hasArrived} onStep={onStep} />
      {step === 'send' ? (
        <section className="stack gap16" aria-labelledby="send">
          <h2 id="send" className={classes.title}>
            Send a test message
          </h2>
          <p>
            Run one of these in a terminal, on this computer or any other that can reach the server.
          </p>
          <Listeners />
          <SendCommands word={word} />
          <p className="dimmed" onClick={(event) => follow(event, open)}>
            <Anchor inherit underline="always" href={address('/send')}>
              Send logs
            </Anchor>{' '}
            has the configurations of other agents, containers and libraries.
          </p>
          <ArrivalPanel arrival={arrival} error={error} onNext={() => onStep('look')} />
        </section>
      ) : (
        <section className="stack gap16" aria-labelledby="look">
          <h2 id="look" className={classes.title}>
            Look at it in Search
          </h2>
          <FirstSearch
            message={arrival?.message ?? arrival?.newest ?? null}
            onSearch={onSearch}
            onBack={() => onStep('send')}
          />
        </section>
      )}
    </div>
  );
}

type StepsProps = { step: WelcomeStep; hasArrived: boolean; onStep: (step: WelcomeStep) => void };

function Steps({ step, hasArrived, onStep }: StepsProps) {
  const steps = [
    { id: null, name: 'Create the administrator', done: true },
    { id: 'send', name: 'Send a test message', done: hasArrived },
    { id: 'look', name: 'Look at it in Search', done: false },
  ] as const;
  return (
    <ol className={classes.steps}>
      {steps.map(({ id, name, done }, at) => (
        <li
          key={name}
          className={classes.stepName}
          data-done={done}
          aria-current={id === step ? 'step' : undefined}
        >
          <span className={classes.number}>
            {done ? <IconCheck size={14} role="img" aria-label="Done:" /> : at + 1}
          </span>
          {id === null || id === step ? (
            <span>{name}</span>
          ) : (
            <button type="button" className={classes.link} onClick={() => onStep(id)}>
              {name}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
