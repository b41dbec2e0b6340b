/** One field of the sidebar: a line with what it is, and below it, when open, its values. It is one Tab stop. */
import { ActionIcon, Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconDots, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Facet } from '../../api/model';
import { onArrows } from '../../ui/arrows';
import { FacetValues } from './FacetValues';
import { FieldMenu } from './FieldMenu';
import { share, valuesText } from './facetValues';
import type { FieldProps } from './field';
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
        <UnstyledButton className={classes.name} aria-expanded={isOpen} onClick={onToggle}>
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
        </UnstyledButton>
        <span className={classes.headActions}>
          <ActionIcon
            size={24}
            tabIndex={-1}
            aria-label={`Search the values of ${field}`}
            aria-pressed={isSearched}
            onClick={search}
          >
            <IconSearch size={14} />
          </ActionIcon>
          <Menu
            position="bottom-end"
            withInitialFocusPlaceholder={false}
            portalProps={{ target: '#content' }}
          >
            <Menu.Target>
              <ActionIcon size={24} tabIndex={-1} aria-label={`Actions of ${field}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <FieldMenu {...props} isPinned={isPinned} />
            </Menu.Dropdown>
          </Menu>
        </span>
      </div>
      {isOpen && (
        <FacetValues {...props} given={facet} isSearched={isSearched} isExtract={isExtract} />
      )}
    </section>
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
