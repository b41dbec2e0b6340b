/**
 * The keyboard shortcuts that currently work, built from the bound keys, and links to the
 * documentation of the page.
 */
import { useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { topicsOf } from '../help/topics';
import { KeyCaps } from '../ui/KeyCaps';
import type { Binding } from '../ui/keys';
import { follow, useOpen } from '../ui/open';
import { boundKeys } from '../ui/useKeys';
import { groupKeys } from './groupKeys';
import classes from './Shortcuts.module.css';

type Props = { opened: boolean; onClose: () => void; page: string };

export function Shortcuts({ opened, onClose, page }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts and help" size="xl">
      <Groups page={page} />
      <Reading page={page} onClose={onClose} />
    </Dialog>
  );
}

function Reading({ page, onClose }: { page: string; onClose: () => void }) {
  const open = useOpen();
  return (
    <nav
      className={classes.reading}
      aria-label="To read"
      onClick={(event) => {
        follow(event, open);
        // Closed if the link is followed in this tab; if it opens elsewhere, the shortcuts stay in view.
        if (event.defaultPrevented) onClose();
      }}
    >
      {topicsOf(page).map(({ title, href }) => (
        <a key={href} href={href}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function Groups({ page }: { page: string }) {
  const [bound] = useState<readonly Binding[]>(boundKeys);
  return (
    <div className={classes.groups}>
      {groupKeys(bound, page).map(({ name, keys }) => (
        <section key={name} className={classes.group}>
          <h2>{name}</h2>
          <dl className="marginUnder">
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
