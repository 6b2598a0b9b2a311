'use client';
import { Button, type ButtonProps } from './button.js';
import { Alert } from './panel.js';
import { useAction } from './use-action.js';

export interface ActionButtonProps extends Omit<ButtonProps, 'onClick' | 'isBusy'> {
  work: () => Promise<unknown>;
}

/** A button that calls a function and shows its error, if any. */
export function ActionButton({ work, ...props }: ActionButtonProps) {
  const { isBusy, error, run } = useAction(work);
  return (
    <>
      <Alert>{error}</Alert>
      <Button {...props} isBusy={isBusy} onClick={() => void run()} />
    </>
  );
}
