/** The fate of the messages in logspaces that a change removes. Each name has to be typed. */
import { useQuery } from '@tanstack/react-query';
import { logspacesQuery } from '../../api/logspaces';
import { Notice } from '../../ui/Notice';
import { TextField } from '../../ui/Fields';
import { formatBytes, formatMessages } from '../../ui/number';
import type { TypedNames } from './gone';
import classes from './GoneLogspaces.module.css';

type Props = { ids: readonly string[]; typed: TypedNames; onType: (typed: TypedNames) => void };

export function GoneLogspaces({ ids, typed, onType }: Props) {
  const { data: logspaces } = useQuery({ ...logspacesQuery, enabled: ids.length > 0 });
  return ids.map((id) => {
    const info = logspaces?.find((one) => one.id === id);
    const retention = info?.retention;
    const limits = [retention?.age, retention?.size].filter((limit) => limit != null).join(' or ');
    const bytes = info && info.blocks_bytes + info.index_bytes + info.journal_bytes;
    return (
      <div key={id} className={classes.gone}>
        <Notice tone="caution" title={`Logspace ${id} is removed, its messages are not`}>
          <p>
            {info === undefined || bytes === undefined
              ? 'Its messages stay on disk'
              : `Its ${formatMessages(info.messages)} (${formatBytes(bytes)}) stay on disk`}{' '}
            and can still be searched. Nothing new comes in.
          </p>
          <p>
            {limits === ''
              ? 'They are kept without end.'
              : `They are kept without end: its retention (${limits}) no longer applies.`}{' '}
            To have them deleted, shorten the retention before you remove it.
          </p>
        </Notice>
        <TextField
          label={
            <>
              Type <b>{id}</b> to confirm
            </>
          }
          exact
          value={typed[id] ?? ''}
          onChange={(text) => onType({ ...typed, [id]: text })}
        />
      </div>
    );
  });
}
