/** The sources or the targets that a route names, as chips. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDatabase, IconPlugConnectedX, IconPlus, IconSend2, IconX } from '@tabler/icons-react';
import type { RouterStatus } from '../../api/model';
import { failingTargets } from '../canvas/traffic';
import { type Item, listOf } from '../document';
import classes from './Editor.module.css';

type Props = {
  label: string;
  /** The meaning of an empty list. */
  none: string;
  known: readonly string[];
  route: Item;
  field: 'from' | 'to';
  status: RouterStatus | undefined;
  /** The names of disabled items. */
  off: readonly string[];
  error: string | undefined;
  canEdit: boolean;
  onChange: (names: string[]) => void;
};

export function NameChips(props: Props) {
  const { label, none, known, route, field, status, off, error, canEdit, onChange } = props;
  const chosen = listOf(route[field]);
  const failing = failingTargets(status);
  const others = [...new Set(known)].filter((name) => !chosen.includes(name));
  return (
    <div role="group" aria-label={label}>
      <h3>{label}</h3>
      <div className={classes.chips}>
        {chosen.length === 0 && <span className="dimmed">{none}</span>}
        {chosen.map((name) => {
          const isGone = !known.includes(name);
          return (
            <span
              key={name}
              className={classes.chip}
              data-bad={isGone || (failing.has(name) && !off.includes(name))}
              data-off={off.includes(name)}
            >
              {field === 'to' && iconOf(name, status, failing)}
              <span className="truncate" title={name}>
                {name}
              </span>
              {isGone && ' does not exist'}
              {off.includes(name) ? ' off' : failing.has(name) && ' down'}
              {canEdit && (
                <ActionIcon
                  size={20}
                  aria-label={`Remove ${name}`}
                  onClick={() => onChange(chosen.filter((one) => one !== name))}
                >
                  <IconX size={12} />
                </ActionIcon>
              )}
            </span>
          );
        })}
        {canEdit && others.length > 0 && (
          <Menu position="bottom-start" portalProps={{ target: '#content' }}>
            <Menu.Target>
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconPlus size={14} />}
                aria-label={field === 'to' ? 'Add target' : 'Only from a source'}
              >
                {field === 'to' ? 'Target' : 'Source'}
              </Button>
            </Menu.Target>
            <Menu.Dropdown className={classes.menu ?? ''}>
              {others.map((name) => (
                <Menu.Item key={name} onClick={() => onChange([...chosen, name])}>
                  {name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {error !== undefined && <p className={classes.wrong}>{error}</p>}
    </div>
  );
}

function iconOf(name: string, status: RouterStatus | undefined, failing: ReadonlySet<string>) {
  if (failing.has(name)) return <IconPlugConnectedX size={14} aria-hidden />;
  const isDestination = status?.destinations.some(({ id }) => id === name) ?? false;
  return isDestination ? (
    <IconSend2 size={14} aria-hidden />
  ) : (
    <IconDatabase size={14} aria-hidden />
  );
}
