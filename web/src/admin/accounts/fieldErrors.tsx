/** The form fields that a refusal is about. */
import type { ReactNode } from 'react';
import { problemOf } from '../../api/client';
import { Prose } from '../../ui/Prose';

/** The problem with one field, if the refusal names it. */
export function errorAt(error: Error | null, path: string): ReactNode {
  if (error === null || problemOf(error).path !== path) return undefined;
  return <Prose text={error.message} />;
}

/** The part of a refusal that no field shows. */
export function otherError(error: Error | null, paths: readonly string[]): string | undefined {
  if (error === null || paths.includes(problemOf(error).path ?? '')) return undefined;
  return error.message;
}
