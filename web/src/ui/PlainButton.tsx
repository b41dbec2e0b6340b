/**
 * A button that looks like its content. It is cheaper than Mantine's, which matters if there are a
 * hundred.
 */
import type { ComponentPropsWithRef } from 'react';
import classes from './PlainButton.module.css';

export function PlainButton({ className, ...rest }: ComponentPropsWithRef<'button'>) {
  return <button type="button" className={`${classes.plain} ${className ?? ''}`} {...rest} />;
}
