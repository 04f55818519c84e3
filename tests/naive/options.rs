//! The rule options, set by their names, and the rule sets: `docs/rules.md`, "Rule options", "Variants" and
//! "Presets".

/// The seven switches of a capture rule: custodian, intervention or leap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureOptions {
    pub enabled: bool,
    pub on_square_edges: bool,
    pub on_cross_lines: bool,
    pub on_diagonal_lines: bool,
    pub in_placing_phase: bool,
    pub in_moving_phase: bool,
    pub only_when_own_pieces_leq3: bool,
}

const NO_CAPTURE: CaptureOptions = CaptureOptions {
    enabled: false,
    on_square_edges: true,
    on_cross_lines: true,
    on_diagonal_lines: true,
    in_placing_phase: true,
    in_moving_phase: true,
    only_when_own_pieces_leq3: false,
};

/// All rule options. The names are those of "Rule options" in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub pieces_count: i32,
    pub fly_piece_count: i32,
    pub pieces_at_least_count: i32,
    pub has_diagonal_lines: bool,
    pub mill_formation_action_in_placing_phase: i32,
    pub may_move_in_placing_phase: bool,
    pub is_defender_move_first: bool,
    pub may_remove_multiple: bool,
    pub may_remove_from_mills_always: bool,
    pub restrict_repeated_mills_formation: bool,
    pub one_time_use_mill: bool,
    pub board_full_action: i32,
    pub stop_placing_when_two_empty_squares: bool,
    pub stalemate_action: i32,
    pub may_fly: bool,
    pub n_move_rule: i32,
    pub endgame_n_move_rule: i32,
    pub threefold_repetition_rule: bool,
    pub custodian: CaptureOptions,
    pub intervention: CaptureOptions,
    pub leap: CaptureOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pieces_count: 9,
            fly_piece_count: 3,
            pieces_at_least_count: 3,
            has_diagonal_lines: false,
            mill_formation_action_in_placing_phase: 0,
            may_move_in_placing_phase: false,
            is_defender_move_first: false,
            may_remove_multiple: false,
            may_remove_from_mills_always: false,
            restrict_repeated_mills_formation: false,
            one_time_use_mill: false,
            board_full_action: 0,
            stop_placing_when_two_empty_squares: false,
            stalemate_action: 0,
            may_fly: true,
            n_move_rule: 100,
            endgame_n_move_rule: 100,
            threefold_repetition_rule: true,
            custodian: NO_CAPTURE,
            intervention: NO_CAPTURE,
            leap: NO_CAPTURE,
        }
    }
}

/// The presets and the named variants, as differences from the defaults.
const NAMED: &[(&str, &str)] = &[
    ("preset0", ""),
    ("preset1", "PiecesCount=12 HasDiagonalLines=true"),
    ("preset2", "PiecesCount=12 HasDiagonalLines=true MillFormationActionInPlacingPhase=1"),
    ("preset3", "PiecesCount=12 HasDiagonalLines=true MayRemoveMultiple=true"),
    ("preset4", "OneTimeUseMill=true"),
    ("preset5", "PiecesCount=10 MayMoveInPlacingPhase=true"),
    ("preset6", "MayFly=false"),
    (
        "preset7",
        "PiecesCount=12 HasDiagonalLines=true MillFormationActionInPlacingPhase=4 MayFly=false \
         IsDefenderMoveFirst=true MayRemoveFromMillsAlways=true",
    ),
    ("preset8", "PiecesCount=12 HasDiagonalLines=true BoardFullAction=1 StalemateAction=2"),
    (
        "preset9",
        "PiecesCount=12 MillFormationActionInPlacingPhase=5 MayFly=false MayRemoveFromMillsAlways=true \
         BoardFullAction=1",
    ),
    (
        "preset10",
        "PiecesCount=12 HasDiagonalLines=true MayFly=false IsDefenderMoveFirst=true \
            MayRemoveFromMillsAlways=true \
         BoardFullAction=2",
    ),
    ("nine", ""),
    ("twelve", "PiecesCount=12 HasDiagonalLines=true"),
    (
        "morabaraba",
        "PiecesCount=12 HasDiagonalLines=true BoardFullAction=4 EndgameNMoveRule=10 \
         RestrictRepeatedMillsFormation=true",
    ),
    (
        "dooz",
        "PiecesCount=12 HasDiagonalLines=true MillFormationActionInPlacingPhase=1 BoardFullAction=3 \
         MayRemoveFromMillsAlways=true",
    ),
    ("lasker", "PiecesCount=10 MayMoveInPlacingPhase=true"),
    ("russian", "OneTimeUseMill=true MayRemoveFromMillsAlways=true"),
    (
        "cham-gonu",
        "PiecesCount=12 HasDiagonalLines=true MillFormationActionInPlacingPhase=4 MayFly=false \
         MayRemoveFromMillsAlways=true",
    ),
    (
        "zhi-qi",
        "PiecesCount=12 HasDiagonalLines=true MillFormationActionInPlacingPhase=4 BoardFullAction=1 \
            MayFly=false \
         MayRemoveFromMillsAlways=true",
    ),
    ("cheng-san-qi", "MillFormationActionInPlacingPhase=4 MayFly=false"),
    (
        "da-san-qi",
        "PiecesCount=12 HasDiagonalLines=true MillFormationActionInPlacingPhase=4 IsDefenderMoveFirst=true \
         MayFly=false MayRemoveFromMillsAlways=true MayRemoveMultiple=true",
    ),
    (
        "mul-mulan",
        "HasDiagonalLines=true MayFly=false MayRemoveFromMillsAlways=true InterventionCaptureEnabled=true",
    ),
    (
        "nerenchi",
        "PiecesCount=12 HasDiagonalLines=true IsDefenderMoveFirst=true MayRemoveFromMillsAlways=true",
    ),
    (
        "el-filja",
        "PiecesCount=12 MillFormationActionInPlacingPhase=5 BoardFullAction=1 MayFly=false \
         MayRemoveFromMillsAlways=true",
    ),
];

impl Options {
    /// Reads a rule set as the data files of the tests write it: the name of a preset or of a named rule set,
    /// then changes `Option=value`; either part may be missing.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for word in text.split_whitespace() {
            if let Some((name, value)) = word.split_once('=') {
                options.set(name, value)?;
            } else if let Some((_, changes)) = NAMED.iter().find(|(name, _)| *name == word) {
                for change in changes.split_whitespace() {
                    let (name, value) = change.split_once('=').ok_or("a change without a value")?;
                    options.set(name, value)?;
                }
            } else {
                return Err(format!("no rule set is called `{word}`"));
            }
        }
        Ok(options)
    }

    /// Sets the option called `name`, letter case and blanks ignored. A refused value changes nothing.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let key: String = name.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
        let value = value.trim();
        match key.as_str() {
            "piecescount" => set_number(&mut self.pieces_count, value, 9, 12),
            "flypiececount" => set_number(&mut self.fly_piece_count, value, 3, 4),
            "piecesatleastcount" => set_number(&mut self.pieces_at_least_count, value, 3, 5),
            "hasdiagonallines" => set_flag(&mut self.has_diagonal_lines, value),
            "millformationactioninplacingphase" => {
                set_number(&mut self.mill_formation_action_in_placing_phase, value, 0, 5)
            }
            "maymoveinplacingphase" => set_flag(&mut self.may_move_in_placing_phase, value),
            "isdefendermovefirst" => set_flag(&mut self.is_defender_move_first, value),
            "mayremovemultiple" => set_flag(&mut self.may_remove_multiple, value),
            "mayremovefrommillsalways" => set_flag(&mut self.may_remove_from_mills_always, value),
            "restrictrepeatedmillsformation" => set_flag(&mut self.restrict_repeated_mills_formation, value),
            "onetimeusemill" => set_flag(&mut self.one_time_use_mill, value),
            "boardfullaction" => set_number(&mut self.board_full_action, value, 0, 4),
            "stopplacingwhentwoemptysquares" => {
                set_flag(&mut self.stop_placing_when_two_empty_squares, value)
            }
            "stalemateaction" => set_number(&mut self.stalemate_action, value, 0, 5),
            "mayfly" => set_flag(&mut self.may_fly, value),
            "nmoverule" => set_number(&mut self.n_move_rule, value, 10, 200),
            "endgamenmoverule" => set_number(&mut self.endgame_n_move_rule, value, 5, 200),
            "threefoldrepetitionrule" => set_flag(&mut self.threefold_repetition_rule, value),
            _ => self.set_capture(&key, value),
        }
        .map_err(|expected| format!("option `{name}`: found `{value}`, expected {expected}"))
    }

    fn set_capture(&mut self, key: &str, value: &str) -> Result<(), String> {
        let (rule, switch) = if let Some(rest) = key.strip_prefix("custodiancapture") {
            (&mut self.custodian, rest)
        } else if let Some(rest) = key.strip_prefix("interventioncapture") {
            (&mut self.intervention, rest)
        } else if let Some(rest) = key.strip_prefix("leapcapture") {
            (&mut self.leap, rest)
        } else {
            return Err("the name of a rule option".to_string());
        };
        let field = match switch {
            "enabled" => &mut rule.enabled,
            "onsquareedges" => &mut rule.on_square_edges,
            "oncrosslines" => &mut rule.on_cross_lines,
            "ondiagonallines" => &mut rule.on_diagonal_lines,
            "inplacingphase" => &mut rule.in_placing_phase,
            "inmovingphase" => &mut rule.in_moving_phase,
            "onlywhenownpiecesleq3" => &mut rule.only_when_own_pieces_leq3,
            _ => return Err("the name of a capture option".to_string()),
        };
        set_flag(field, value)
    }
}

fn set_number(field: &mut i32, value: &str, min: i32, max: i32) -> Result<(), String> {
    match value.parse::<i32>() {
        Ok(number) if (min..=max).contains(&number) => {
            *field = number;
            Ok(())
        }
        _ => Err(format!("a whole number from {min} to {max}")),
    }
}

fn set_flag(field: &mut bool, value: &str) -> Result<(), String> {
    *field = match value.to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => true,
        "false" | "0" | "no" | "off" => false,
        _ => return Err("true or false".to_string()),
    };
    Ok(())
}
