/** The values of the fields of all matching messages, and how often each occurs. */
import { ActionIcon, Button, Drawer, UnstyledButton } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconListDetails } from '@tabler/icons-react';
import type { Facet } from '../../api/model';
import { AddField } from './AddField';
import { FieldFacet } from './FieldFacet';
import type { SearchState } from '../searchParams';
import classes from './Facets.module.css';

type Props = {
  state: SearchState;
  facets: Record<string, Facet> | undefined;
  /** All messages that match; unknown while they are counted. */
  total?: number | undefined;
  /** Whether the facets are of the question before, while this one is worked on. */
  stale?: boolean;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
};

export function Facets(props: Props) {
  const isNarrow = useMediaQuery('(max-width: 960px), (max-height: 639px)');
  const [isShown, setShown] = useLocalStorage({ key: 'logstead-fields', defaultValue: true });
  if (isNarrow) return <Sheet {...props} />;
  if (!isShown) {
    return (
      <UnstyledButton className={classes.opener} onClick={() => setShown(true)}>
        <IconListDetails size={16} aria-hidden />
        <span>Fields</span>
      </UnstyledButton>
    );
  }
  return (
    <aside className={classes.sidebar} aria-label="Fields">
      <div className={classes.head}>
        <h2>Fields</h2>
        <ActionIcon aria-label="Hide the fields" onClick={() => setShown(false)}>
          <IconLayoutSidebarLeftCollapse size={16} />
        </ActionIcon>
      </div>
      <Fields {...props} />
    </aside>
  );
}

/** Stands in for the sidebar where there is no room for it. */
function Sheet(props: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        className={classes.sheetButton ?? ''}
        variant="default"
        leftSection={<IconListDetails size={16} />}
        onClick={open}
      >
        Fields
      </Button>
      <Drawer opened={opened} onClose={close} title="Fields" size={320} padding={12}>
        <Fields {...props} />
      </Drawer>
    </>
  );
}

function Fields({ state, facets, total, stale = false, onFilter, onAsk, onChange }: Props) {
  const [closed, setClosed] = useLocalStorage<readonly string[]>({
    key: 'logstead-fields-closed',
    defaultValue: [],
  });
  const toggle = (field: string) =>
    setClosed(
      closed.includes(field) ? closed.filter((other) => other !== field) : [...closed, field],
    );
  // What stands for fields that are not known yet goes as a whole, so that nothing moves when they are.
  const phase = facets === undefined ? 'waiting' : 'known';
  return (
    <div className={classes.fields} data-stale={stale} key={phase}>
      {state.facets.map((field) => (
        <FieldFacet
          key={field}
          state={state}
          field={field}
          facet={facets?.[field]}
          total={total}
          isOpen={!closed.includes(field)}
          onToggle={() => toggle(field)}
          onFilter={onFilter}
          onAsk={onAsk}
          onChange={onChange}
        />
      ))}
      <AddField state={state} onAdd={(field) => onChange({ facets: [...state.facets, field] })} />
    </div>
  );
}
