/** Extracts a part of messages as a field: by its name, and by the text on both sides of it. */
import { Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Form, FormEnd } from '../../../ui/Form';
import type { Message } from '../../../api/model';
import { withExtract } from '../../../api/query';
import { Dialog } from '../../../ui/Dialog';
import { Failure } from '../../../ui/Notice';
import { TextField } from '../../../ui/Fields';
import { formatCount } from '../../../ui/number';
import { visible } from '../../../ui/message/text';
import { matchesIn, patternOf } from './pattern';
import type { Proposal } from './proposal';
import classes from './ExtractDialog.module.css';

const EXAMPLES_MAX = 5;
/** Maximum number of messages tested while somebody types. */
const LOOKED_AT_MAX = 2_000;
const NAME = /^[\p{L}_@.][\p{L}\p{N}_@.-]*$/u;

type Props = {
  proposal: Proposal;
  query: string;
  messages: readonly Message[];
  onQuery: (query: string) => void;
  onClose: () => void;
};

export function ExtractDialog({ proposal, query, messages, onQuery, onClose }: Props) {
  const [draft, setDraft] = useState(proposal);
  const name = draft.name.trim();
  const pattern = patternOf({ ...draft, name });
  const isName = NAME.test(name) && name !== '_';
  const texts = useMemo(
    () => messages.slice(0, LOOKED_AT_MAX).map(({ message }) => message),
    [messages],
  );
  const { count, examples } = useMemo(
    () => matchesIn(pattern, name, texts, EXAMPLES_MAX),
    [pattern, name, texts],
  );
  const adding = useMutation({
    mutationFn: () => withExtract(query, pattern),
    onSuccess: (next) => {
      onClose();
      onQuery(next);
    },
  });
  const change = (part: Partial<Proposal>) => {
    setDraft({ ...draft, ...part });
    adding.reset();
  };
  return (
    <Dialog opened onClose={onClose} title="Extract as field">
      <Form onSubmit={() => isName && adding.mutate()}>
        <Stack gap="md">
          <TextField
            data-autofocus
            label="Name of the field"
            value={draft.name}
            error={
              name !== '' && !isName && 'Use letters, digits and _ . - and begin with a letter.'
            }
            onChange={(text) => change({ name: text })}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Group grow align="flex-start" gap={12}>
            <TextField
              label="Text before it"
              classNames={{ input: 'mono' }}
              value={draft.before}
              onChange={(text) => change({ before: text })}
            />
            <TextField
              label="Text after it"
              classNames={{ input: 'mono' }}
              placeholder="The end of the word"
              value={draft.after}
              onChange={(text) => change({ after: text })}
            />
          </Group>
          <p className={classes.note}>
            Capital letters count. <code>{'<_>'}</code> stands for anything.
          </p>
          <div className={classes.found} role="status" aria-label="Matches">
            <p>
              {count === 0
                ? `None of the ${formatCount(texts.length)} messages loaded has it: shorten the text around it.`
                : `Found in ${formatCount(count)} of the ${formatCount(texts.length)} messages loaded.`}
            </p>
            {examples.length > 0 && (
              <ul>
                {examples.map((value) => (
                  <li key={value} className="mono" title={value}>
                    {value === '' ? '(empty)' : visible(value)}
                  </li>
                ))}
              </ul>
            )}
          </div>
          <Failure error={adding.error} />
          <FormEnd
            action="Add to the query"
            isReady={isName}
            isPending={adding.isPending}
            onCancel={onClose}
          />
        </Stack>
      </Form>
    </Dialog>
  );
}
