import { useEffect, useRef, useState } from 'react';
import { api, unwrap } from '../http/client';
import { toProblem, type Problem } from '../http/problem';
import { useInvalidate } from '../http/queries';
import type { ImportFile } from './import-file';
import type { CustomerImport } from './import-counts';
import { toFlags, type ImportOptions } from './import-options';

interface ImportRequest {
  importId: string;
  projectId: string;
  options: ImportOptions;
  file: ImportFile;
}

interface RunState {
  /** The kind of upload that the page is sending. */
  sending: 'check' | 'import' | null;
  /** True if the operator canceled the upload. */
  isCanceled: boolean;
  error: Problem | null;
  /** The result of the dry run. */
  checked: CustomerImport | null;
}

/** A file upload that this page sends. */
export interface ImportRun extends RunState {
  /** Sends the file as a dry run. */
  check: (request: Omit<ImportRequest, 'importId'>) => void;
  send: (request: ImportRequest) => void;
  cancel: () => void;
  /** Discards the last upload's result, because another file or project is selected. */
  reset: () => void;
}

const INITIAL: RunState = { sending: null, isCanceled: false, error: null, checked: null };

interface ImportQuery extends ReturnType<typeof toFlags> {
  importId?: string;
  projectId: string;
  dryRun?: 'true';
}

export const IMPORT_PATH = '/operator/v1/imports/{importId}';

/**
 * Sends a file as an import, or as a dry run that checks it. The server processes the lines as they arrive. To continue
 * an interrupted import after its last imported line, send the same file with the same ID. The upload ends when the
 * page is closed.
 */
export function useImportRun(): ImportRun {
  const invalidate = useInvalidate();
  const controller = useRef<AbortController | null>(null);
  const [state, setState] = useState(INITIAL);
  const isSending = state.sending !== null;
  useEffect(() => () => controller.current?.abort(), []);
  useEffect(() => {
    if (!isSending) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isSending]);

  const upload = async (sending: 'check' | 'import', query: ImportQuery, file: ImportFile): Promise<void> => {
    const own = new AbortController();
    const { signal } = (controller.current = own);
    // Ignores the result of an upload that another upload has replaced.
    const finish = (end: Partial<RunState>): void => {
      if (controller.current === own) setState({ ...INITIAL, ...end });
    };
    setState({ ...INITIAL, sending });
    try {
      const result = await unwrap<unknown>(
        api.POST('/operator/v1/customers/import', {
          params: { query },
          // The browser streams the file.
          body: file.body as never,
          bodySerializer: (body: unknown) => body,
          headers: { 'Content-Type': 'application/x-ndjson' },
          signal,
        }),
      );
      finish({ checked: sending === 'check' ? (result as CustomerImport) : null });
    } catch (error) {
      const isCanceled = signal.aborted;
      finish({ isCanceled, error: isCanceled ? null : toProblem(error) });
    }
    if (sending === 'import')
      await invalidate(IMPORT_PATH, '/operator/v1/customers', '/operator/v1/audit-log');
  };
  return {
    ...state,
    check: ({ projectId, options, file }) =>
      void upload('check', { projectId, dryRun: 'true', ...toFlags(options) }, file),
    send: ({ importId, projectId, options, file }) =>
      void upload('import', { importId, projectId, ...toFlags(options) }, file),
    cancel: () => controller.current?.abort(),
    reset: () => {
      controller.current?.abort();
      controller.current = null;
      setState(INITIAL);
    },
  };
}
