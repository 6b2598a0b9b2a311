import { useEffect, useRef, useState } from 'react';
import { api, unwrap } from '../http/client';
import { toProblem, type Problem } from '../http/problem';
import { useInvalidate } from '../http/queries';
import type { ImportFile } from './import-file';

interface ImportRequest {
  importId: string;
  projectId: string;
  emitsEvents: boolean;
  file: ImportFile;
}

/** The upload of a file that this page sends. */
export interface ImportRun {
  isSending: boolean;
  /** True if the operator canceled the upload. */
  isCanceled: boolean;
  error: Problem | null;
  send: (request: ImportRequest) => void;
  cancel: () => void;
}

export const IMPORT_PATH = '/operator/v1/imports/{importId}';

/**
 * Sends a file as an import. The server imports the lines as they arrive. After an interruption, the same file with the
 * same ID continues after the last imported line. The upload ends when the page is closed.
 */
export function useImportRun(): ImportRun {
  const invalidate = useInvalidate();
  const controller = useRef<AbortController | null>(null);
  const [state, setState] = useState({ isSending: false, isCanceled: false, error: null as Problem | null });
  const { isSending } = state;
  useEffect(() => () => controller.current?.abort(), []);
  useEffect(() => {
    if (!isSending) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isSending]);

  const send = async ({ importId, projectId, emitsEvents, file }: ImportRequest): Promise<void> => {
    const { signal } = (controller.current = new AbortController());
    setState({ isSending: true, isCanceled: false, error: null });
    try {
      await unwrap<unknown>(
        api.POST('/operator/v1/customers/import', {
          params: { query: { importId, projectId, emitEvents: emitsEvents ? 'true' : 'false' } },
          // The browser reads the file while it sends it.
          body: file.body as never,
          bodySerializer: (body: unknown) => body,
          headers: { 'Content-Type': 'application/x-ndjson' },
          signal,
        }),
      );
      setState({ isSending: false, isCanceled: false, error: null });
    } catch (error) {
      const isCanceled = signal.aborted;
      setState({ isSending: false, isCanceled, error: isCanceled ? null : toProblem(error) });
    }
    await invalidate(IMPORT_PATH, '/operator/v1/customers', '/operator/v1/audit-log');
  };
  return { ...state, send: (request) => void send(request), cancel: () => controller.current?.abort() };
}
