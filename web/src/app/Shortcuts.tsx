/** What the keyboard can do, on one page. */
import { Kbd } from '@mantine/core';
import { Dialog } from '../ui/Dialog';
import classes from './Shortcuts.module.css';

const groups = [
  {
    name: 'Everywhere',
    keys: [
      ['g s', 'Go to Search'],
      ['g r', 'Go to Router'],
      ['D', 'Light or dark'],
      ['?', 'This list'],
    ],
  },
  {
    name: 'Search',
    keys: [
      ['/', 'Go to the query'],
      ['Enter', 'Run the query'],
      ['Shift Enter', 'New line in the query'],
      ['Esc', 'Leave the query'],
      ['j', 'Next message'],
      ['k', 'Previous message'],
      ['r', 'Search again'],
    ],
  },
] as const;

export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="sm">
      {groups.map(({ name, keys }) => (
        <section key={name} className={classes.group}>
          <h2>{name}</h2>
          <dl className={classes.keys}>
            {keys.map(([key, does]) => (
              <div key={key} className={classes.row}>
                <dt>
                  {key.split(' ').map((part) => (
                    <Kbd key={part} mr={4}>
                      {part}
                    </Kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
