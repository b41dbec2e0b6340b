/** One field of the sidebar: a line with what it is, and below it, when open, its values. It is one Tab stop. */
import { Menu } from '@mantine/core';
import {
  IconArrowUp,
  IconChartBar,
  IconChevronDown,
  IconColumns,
  IconDots,
  IconPin,
  IconPinnedOff,
  IconSearch,
  IconSum,
} from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { Facet } from '../../api/model';
import { PlainButton } from '../../ui/PlainButton';
import { onArrows } from '../../ui/arrows';
import { FacetValues } from './FacetValues';
import { share, valuesText } from './facetValues';
import type { FieldProps } from './field';
import { isSame } from './groups';
import classes from './Facets.module.css';

type Props = FieldProps & {
  /** Its counts, where they are known already; otherwise they are asked for when it is open. */
  facet?: Facet | undefined;
  isPinned?: boolean;
  /** The part of the messages that have it. */
  coverage?: number;
  /** Its value, where all messages have the same. */
  only?: string | undefined;
  /** Whether only the given values are shown. */
  isExtract?: boolean;
  isOpen: boolean;
  onToggle?: () => void;
};

export function FieldFacet(props: Props) {
  const { field, facet, choice, only, isOpen, isPinned = false, isExtract = false } = props;
  const { coverage, onToggle } = props;
  const [isSearched, setSearched] = useState(false);
  const search = () => {
    setSearched(!isSearched);
    if (!isOpen) onToggle?.();
  };
  return (
    <section className={classes.facet} aria-label={field} onKeyDown={onArrows}>
      <div className={classes.facetHead} data-row>
        <PlainButton className={classes.name} aria-expanded={isOpen} onClick={onToggle}>
          <IconChevronDown size={12} aria-hidden />
          <span className={classes.fieldName} title={field}>
            {field}
          </span>
          {only !== undefined && !isOpen && (
            <span className={classes.only} title={only}>
              {only}
            </span>
          )}
          <span className={classes.meta}>
            {coverage === undefined ? (
              facet !== undefined &&
              !isExtract && <span title={facet.partial}>{valuesText(facet, choice)}</span>
            ) : (
              <Coverage coverage={coverage} />
            )}
          </span>
        </PlainButton>
        <span className={classes.headActions}>
          <PlainButton
            className={classes.headAction}
            tabIndex={-1}
            aria-label={`Search the values of ${field}`}
            aria-pressed={isSearched}
            onClick={search}
          >
            <IconSearch size={14} />
          </PlainButton>
          <FieldActions {...props} isPinned={isPinned} />
        </span>
      </div>
      {isOpen && (
        <FacetValues {...props} given={facet} isSearched={isSearched} isExtract={isExtract} />
      )}
    </section>
  );
}

/** Its menu is made when it is opened: a closed one for each field is half of what the sidebar takes to draw. */
function FieldActions(props: FieldProps & { isPinned: boolean }) {
  const label = `Actions of ${props.field}`;
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span className={classes.actions}>
      <PlainButton
        ref={button}
        className={classes.headAction}
        tabIndex={-1}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <IconDots size={16} />
      </PlainButton>
      {isOpen && (
        <Menu
          opened
          onClose={close}
          position="bottom-end"
          withInitialFocusPlaceholder={false}
          portalProps={{ target: '#content' }}
        >
          <Menu.Target>
            <span className={classes.actionsCover} aria-hidden aria-label={label} />
          </Menu.Target>
          <Menu.Dropdown>
            <FieldMenu {...props} />
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}

function Coverage({ coverage }: { coverage: number }) {
  const percent = share(coverage, 1);
  return (
    <span className={classes.coverage} title={`${percent} of the messages have it`}>
      <span className={classes.coverageBar} aria-hidden>
        <span style={{ width: `${100 * coverage}%` }} />
      </span>
      <span className={classes.share}>{percent}</span>
    </span>
  );
}

/** The limit of one request, with the fields that are always counted. */
const PINNED_MAX = 24;

/** The menu of a field in the sidebar. */
function FieldMenu(props: FieldProps & { isPinned: boolean }) {
  const { state, field, isPinned, onEdit, onChange } = props;
  const { columns, facets } = state;
  const isColumn = columns.includes(field);
  const others = facets.filter((other) => !isSame(other, field));
  return (
    <>
      <Menu.Item
        leftSection={<IconColumns size={14} />}
        onClick={() =>
          onChange({
            columns: isColumn ? columns.filter((other) => other !== field) : [...columns, field],
            view: 'table',
          })
        }
      >
        {isColumn ? 'Hide column' : 'Show as column'}
      </Menu.Item>
      {state.split !== undefined && (
        <Menu.Item
          leftSection={<IconChartBar size={14} />}
          onClick={() => onChange({ split: field })}
          disabled={state.split === field}
        >
          Break down histogram
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconSum size={14} />} onClick={() => onEdit([{ op: 'top', field }])}>
        Top 20 values
      </Menu.Item>
      <Menu.Divider />
      {isPinned ? (
        <>
          <Menu.Item
            leftSection={<IconArrowUp size={14} />}
            onClick={() => onChange({ facets: [field, ...others] })}
            disabled={facets[0] === field}
          >
            Move to top
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPinnedOff size={14} />}
            onClick={() => onChange({ facets: others })}
          >
            Unpin
          </Menu.Item>
        </>
      ) : (
        <Menu.Item
          leftSection={<IconPin size={14} />}
          onClick={() => onChange({ facets: [...facets, field] })}
          disabled={facets.length >= PINNED_MAX}
        >
          Pin
        </Menu.Item>
      )}
    </>
  );
}
