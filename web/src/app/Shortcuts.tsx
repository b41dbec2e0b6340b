/** What the keyboard can do right now, made of what is bound. */
import { useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { KeyCaps } from '../ui/KeyCaps';
import type { Binding } from '../ui/keys';
import { boundKeys } from '../ui/useKeys';
import { groupKeys } from './groupKeys';
import classes from './Shortcuts.module.css';

type Props = { opened: boolean; onClose: () => void; page: string };

export function Shortcuts({ opened, onClose, page }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="xl">
      <Groups page={page} />
    </Dialog>
  );
}

function Groups({ page }: { page: string }) {
  const [bound] = useState<readonly Binding[]>(boundKeys);
  return (
    <div className={classes.groups}>
      {groupKeys(bound, page).map(({ name, keys }) => (
        <section key={name} className={classes.group}>
          <h2>{name}</h2>
          <dl className={classes.keys}>
            {keys.map(({ does, keys: written }) => (
              <div key={does} className={classes.row}>
                <dt>
                  {written.map((one) => (
                    <KeyCaps key={one} keys={one} />
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
