/** Creates a logspace by a revision of the router document that contains it. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, FormEnd } from '../../ui/Form';
import { type Durability, addLogspace } from '../../api/logspaces';
import { Dialog } from '../../ui/Dialog';
import { Failure, Notice } from '../../ui/Notice';
import { useRevisionLive } from '../useRevisionLive';
import { type Fields, ageUnits, fieldsOf, sizeUnits, textOf, wrongWith } from '../retention/limits';
import { DurabilityChoice } from './Options';
import { SelectField, TextField } from '../../ui/Fields';
import classes from './Change.module.css';

type Props = {
  taken: readonly string[];
  onClose: () => void;
  onMade: (id: string) => void;
};

export function NewLogspaceDialog({ taken, onClose, onMade }: Props) {
  const announce = useRevisionLive();
  const [id, setId] = useState('');
  const [fields, setFields] = useState<Fields>(fieldsOf({ age: '90d' }));
  const [durability, setDurability] = useState<Durability>('fsync');
  const name = id.trim();
  const make = useMutation({
    mutationFn: () => addLogspace(name, textOf(fields), durability),
    onSuccess: async ({ revision }) => {
      await announce(revision, `Nothing comes into ${name} until a route sends to it.`);
      onMade(name);
    },
  });
  const isAgain = taken.includes(name);
  const isRight = wrongWith(fields.age) === undefined && wrongWith(fields.size) === undefined;
  const { age, size } = fields;
  return (
    <Dialog opened onClose={onClose} title="New logspace">
      <Form className="stack gap16" onSubmit={() => name !== '' && isRight && make.mutate()}>
        <Failure error={make.error} />
        <TextField
          label="Name"
          description="One that begins with _ is private: it is searched only when it is named"
          data-autofocus
          exact
          value={id}
          onChange={(text) => {
            setId(text);
            make.reset();
          }}
        />
        {isAgain && (
          <p className="dimmed">
            There is one of this name already. If it was retired, it is taken up again with its
            messages.
          </p>
        )}
        <div className={classes.pair}>
          <TextField
            size="xs"
            label="Keep at most"
            placeholder="no limit"
            inputMode="numeric"
            value={age.amount}
            error={wrongWith(age)}
            onChange={(text) => setFields({ ...fields, age: { ...age, amount: text } })}
          />
          <SelectField
            aria-label="Unit of the age"
            value={age.unit}
            data={ageUnits.map((unit) => ({ ...unit }))}
            onChange={(value) => setFields({ ...fields, age: { ...age, unit: value } })}
          />
          <TextField
            size="xs"
            label="and at most"
            placeholder="no limit"
            inputMode="numeric"
            value={size.amount}
            error={wrongWith(size)}
            onChange={(text) => setFields({ ...fields, size: { ...size, amount: text } })}
          />
          <SelectField
            aria-label="Unit of the size"
            value={size.unit}
            data={[...sizeUnits]}
            onChange={(value) => setFields({ ...fields, size: { ...size, unit: value } })}
          />
        </div>
        {age.amount.trim() === '' && size.amount.trim() === '' && (
          <Notice tone="caution" title="Without a limit it grows until the disk is full" />
        )}
        <DurabilityChoice value={durability} onChange={setDurability} />
        <FormEnd
          action="Create as a revision"
          isReady={!(name === '' || !isRight)}
          isPending={make.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
