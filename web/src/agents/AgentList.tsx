/** The agents by groups, with a field that filters them; arrow keys move through both. */
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useKeys } from '../ui/useKeys';
import { type Agent, agentsWith } from './guide';
import classes from './AgentList.module.css';

type Props = {
  agents: readonly Agent[];
  chosen: string;
  linkTo: (id: string) => string;
  onOpen: (href: string) => void;
};

export function AgentList({ agents, chosen, linkTo, onOpen }: Props) {
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': { does: 'Go to the filter', run: () => field.current?.focus() } });
  const shown = agentsWith(agents, filter);
  const groups = [...new Set(shown.map(({ group }) => group))];
  const [first] = shown;
  const move = (event: KeyboardEvent, by: 1 | -1) => {
    const stops = [field.current, ...(list.current?.querySelectorAll('a') ?? [])];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    event.preventDefault();
    stops[at + by]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'ArrowUp') move(event, -1);
    const isSubmit = event.key === 'Enter' && event.target === field.current;
    if (isSubmit && first !== undefined) onOpen(linkTo(first.id));
  };
  return (
    <nav className={classes.list} aria-label="Agents" ref={list} onKeyDown={onKeyDown}>
      <TextInput
        ref={field}
        aria-label="Filter agents"
        placeholder="Filter"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h2 className={classes.title}>{group}</h2>
          <ul className={classes.items}>
            {shown
              .filter((agent) => agent.group === group)
              .map(({ id, name }) => (
                <li key={id}>
                  <a
                    className={classes.item}
                    href={linkTo(id)}
                    aria-current={id === chosen ? 'page' : undefined}
                  >
                    {name}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && (
        <p className={classes.none}>
          No agent of that name. Anything that sends syslog or HTTP works: see Devices and curl.
        </p>
      )}
    </nav>
  );
}
