/// <reference types="vite/client" />

interface ImportMetaEnv {
  readonly GATEHOUSE_URL: string;
  readonly GATEHOUSE_PUBLISHABLE_KEY: string;
}
