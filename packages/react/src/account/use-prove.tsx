'use client';
import { useState, type ReactNode } from 'react';
import type { Prove } from './account-context.js';
import { ProofDialog, type ProofRequest } from './proof-dialog.js';
import { requiredProofs } from './proofs.js';

/**
 * Returns a function that runs a change, and reauthenticates the customer until the change is accepted. Throws
 * `reauthentication_required` if the customer cancels.
 * @returns the function and the dialog to render
 */
export function useProve(): [Prove, ReactNode] {
  const [request, setRequest] = useState<ProofRequest | null>(null);
  const prove: Prove = async (action) => {
    try {
      return await action();
    } catch (error) {
      const methods = requiredProofs(error);
      if (!methods) throw error;
      type Result = Awaited<ReturnType<typeof action>>;
      return new Promise<Result>((resolve, reject) => {
        const repeat = async (password?: string): Promise<void> => resolve(await action(password));
        setRequest({ methods, repeat, reject });
      });
    }
  };
  return [prove, request ? <ProofDialog request={request} onEnd={() => setRequest(null)} /> : null];
}
