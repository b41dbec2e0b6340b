/** The parameters of an operation, each with a field: what is written there is in the command, and is sent. */
import { TextInput } from '@mantine/core';
import { Prose } from '../../ui/Prose';
import type { Values } from './curl';
import type { Parameter, Schema } from './description';
import { aboutOf, typeText } from './schema';
import classes from './Api.module.css';

type Props = {
  parameters: readonly Parameter[];
  schemas: Readonly<Record<string, Schema>>;
  values: Values;
  onChange: (values: Values) => void;
};

export function Parameters({ parameters, schemas, values, onChange }: Props) {
  return (
    <div className={classes.parameters}>
      {parameters.map(({ name, in: place, required, description, schema = {}, example }) => (
        <TextInput
          key={name}
          label={
            <>
              <code>{name}</code>{' '}
              <span className="regular dimmed">
                {typeText(schema, schemas)}
                {place !== 'query' && ` in the ${place}`}
              </span>
            </>
          }
          description={
            <Prose text={[description, aboutOf(schema, schemas)].filter(Boolean).join(' ')} />
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          withAsterisk={required === true}
          placeholder={typeof example === 'string' ? example : ''}
          autoComplete="off"
          spellCheck={false}
          value={values[name] ?? ''}
          onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}
