/** The commands that ask the provider. File names are as the user wrote them, never empty. */
export type AskingCommand =
  | {
      readonly kind: "check" | "discover";
      readonly config: string;
      /** Whether renewed tokens are saved to the config file too. */
      readonly writeConfig: boolean;
      readonly debug: boolean;
    }
  | {
      readonly kind: "read";
      readonly config: string;
      readonly writeConfig: boolean;
      readonly catalog: string;
      /** Absent if there is no state; an empty name counts as none. */
      readonly state: string | undefined;
      readonly debug: boolean;
    }
  | {
      readonly kind: "record";
      readonly config: string;
      /** The folder to write to. */
      readonly out: string;
      readonly debug: boolean;
    };
